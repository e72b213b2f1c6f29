//! `experiments stat …` as a user types it: the shapes that scripts rely on, and what it says to a
//! wrong request.

mod driven;

use driven::{Ended, User};
use serde_json::Value;

fn json(ended: &Ended) -> Value {
    assert_eq!(ended.status, Some(0), "{ended:?}");
    serde_json::from_str(&ended.out).expect("JSON")
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn a_proportion_has_the_contracts_shape() {
    let found = json(&User::new().experiments("stat proportion 8 10 --json"));
    assert_eq!(keys(&found), ["k", "n", "estimate", "intervals", "next", "notes"]);
    let intervals = found["intervals"].as_array().unwrap();
    let expected = [
        ("wilson", 0.490162, 0.943318),
        ("clopper-pearson", 0.443905, 0.974789),
        ("jeffreys", 0.497226, 0.955941),
    ];
    for (interval, (method, low, high)) in intervals.iter().zip(expected) {
        assert_eq!(keys(interval), ["method", "level", "low", "high"]);
        assert_eq!(interval["method"], method);
        assert!((interval["low"].as_f64().unwrap() - low).abs() < 5e-7);
        assert!((interval["high"].as_f64().unwrap() - high).abs() < 5e-7);
    }
    assert_eq!(intervals[3]["method"], "mid-p");
}

#[test]
fn none_of_n_is_said_in_a_sentence() {
    let ended = User::new().experiments("stat proportion 0 24");
    let sentence =
        "None of 24: at 95 % confidence the probability is at most 0.117346 (one-sided, exact)";
    assert!(ended.out.contains(&format!("{sentence}.\n")), "{}", ended.out);
    let found = json(&User::new().experiments("stat proportion 0 24 --json"));
    assert_eq!(found["notes"][0], sentence);
}

#[test]
fn a_two_by_two_table_has_the_contracts_shape() {
    let found = json(&User::new().experiments("stat two-by-two 4 24 0 24 --json"));
    assert_eq!(
        keys(&found),
        [
            "base",
            "test",
            "difference",
            "ratio",
            "odds_ratio",
            "tests",
            "probability_test_is_lower",
            "notes"
        ]
    );
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.starts_with("One interval of the difference contains 0"), "{note}");
    assert_eq!(keys(&found["base"]), ["k", "n", "estimate"]);
    assert_eq!(keys(&found["ratio"]), ["estimate", "intervals"]);
    let methods: Vec<&str> = found["difference"]["intervals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|interval| interval["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods, ["newcombe", "miettinen-nurminen"]);
    let tests = found["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 12);
    assert_eq!(keys(&tests[0]), ["method", "alternative", "statistic", "p_value"]);
    assert!((tests[0]["p_value"].as_f64().unwrap() - 0.1092199).abs() < 5e-8);
    assert_eq!(tests[1]["alternative"], "less");
    assert_eq!(tests[11]["method"], "barnard");
}

#[test]
fn what_does_not_exist_is_null() {
    let found = json(&User::new().experiments("stat two-by-two 0 24 4 24 --json"));
    assert!(found["ratio"]["estimate"].is_null());
    assert!(found["ratio"]["intervals"][0]["high"].is_null());
    assert!(found["odds_ratio"]["estimate"].is_null());
    assert!(found["ratio"]["intervals"][0]["low"].as_f64().unwrap() > 0.0);
}

#[test]
fn strata_have_the_contracts_shape() {
    let user = User::new();
    user.write("s.csv", "test_n,test_k,stratum,base_k,base_n\n10,0,a,8,10\n10,1,\"b, c\",3,10\n");
    let found = json(&user.experiments("stat strata s.csv --json"));
    assert_eq!(keys(&found), ["strata", "odds_ratio", "difference", "tests", "notes"]);
    assert_eq!(
        keys(&found["strata"][1]),
        ["stratum", "base", "test", "difference", "ratio", "odds_ratio"]
    );
    assert_eq!(found["strata"][1]["stratum"], "b, c");
    assert_eq!(found["strata"][0]["base"]["k"], 8);
    let methods: Vec<&str> = found["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| test["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods, ["cmh", "exact-strata", "breslow-day-tarone"]);
}

#[test]
fn power_has_the_contracts_shape() {
    let user = User::new();
    let found = json(&user.experiments(
        "stat power --base 0.5 --test 0.1 --test-name fisher --power 0.8 --level 0.95 --json",
    ));
    assert_eq!(keys(&found), ["n_per_side", "power", "level", "test", "alternative", "notes"]);
    assert_eq!(found["test"], "fisher");
    let n = found["n_per_side"].as_u64().unwrap();
    let again = json(&user.experiments(&format!(
        "stat power --base 0.5 --test 0.1 --test-name fisher --n {n} --json"
    )));
    assert_eq!(again["power"], found["power"]);
    assert_eq!(json(&user.experiments("stat power --at-most 0.05 --json"))["n"], 59);
    assert_eq!(json(&user.experiments("stat power --hazard-ratio 2 --json"))["events"], 66);
    assert!(json(&user.experiments("stat power --width 0.2 --json"))["n"].as_u64().unwrap() > 80);
}

#[test]
fn a_wrong_number_is_one_sentence_and_status_2() {
    let user = User::new();
    let run = |args: &str| user.experiments(&format!("stat {args}"));
    run("proportion 11 10").refused(&["K of N = 10 trials is 11: accepted is 0 to 10"]);
    run("proportion 0 0").refused(&["the number of trials is 0: accepted is at least 1"]);
    run("proportion -1 10").refused(&["`-1` is negative"]);
    run("proportion many 10").refused(&["`many` is not a number"]);
    run("proportion 1.5 10").refused(&["`1.5` is not a whole number"]);
    run("proportion 1 10 --level 95").refused(&["for 95 % write 0.95"]);
    run("proportion 1 10 --level nan").refused(&["the confidence level is NaN"]);
    run("two-by-two 1 2 5 4").refused(&["test: K of N = 4 trials is 5"]);
    run("two-by-two 1 0 5 6").refused(&["base: the number of trials is 0"]);
    run("power --base 0.5 --test 0.5").refused(&["no number of trials shows that nothing differs"]);
    run("power --base 0.5 --test 1.4").refused(&["the test side's probability is 1.4"]);
    run("power --base 0.5 --test 0.499").refused(&["about 3924435"]);
    run("power --at-most 0").refused(&["no number of trials shows 0"]);
    run("power --hazard-ratio 1").refused(&["no number of events"]);
}

#[test]
fn a_wrong_file_is_named_with_line_and_column() {
    let user = User::new();
    let header = "stratum,base_k,base_n,test_k,test_n\n";
    let with = |text: &str| {
        user.write("s.csv", text);
        user.experiments("stat strata s.csv")
    };
    with("").refused(&["s.csv is empty"]);
    with(header).refused(&["s.csv has a header and no rows"]);
    with("stratum,base_k\na,1\n").refused(&["s.csv, line 1: there is no column `base_n`"]);
    with(&format!("{header}a,1,2,3\n")).refused(&["s.csv, line 2: it has 4 cells"]);
    with(&format!("{header}a,1,2,1,9\nb,x,2,1,9\n")).refused(&["s.csv, line 3, column `base_k`: "]);
    with(&format!("{header}a,1,2,10,9\n")).refused(&["s.csv, line 2, column `test_k`: 10 is more"]);
    user.experiments("stat strata none.csv").refused(&["none.csv cannot be read"]);
}

#[test]
fn p_values_are_adjusted_side_by_side() {
    let user = User::new();
    user.write("p.csv", "contrast,threads,p\na,96,0.01\nb,128,0.04\nc,192,\nd,8,0.03\ne,4,0.005\n");
    let found = json(&user.experiments("stat adjust p.csv --json"));
    assert_eq!(keys(&found), ["n", "level", "rejected", "rows", "notes"]);
    assert_eq!(
        keys(&found["rows"][0]),
        ["line", "contrast", "threads", "p", "holm", "benjamini_hochberg"]
    );
    assert_eq!(found["n"], 4);
    // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"), and "BH".
    for (row, holm, share) in [(0, 0.03, 0.02), (1, 0.06, 0.04), (3, 0.06, 0.04), (4, 0.02, 0.02)] {
        let near = |key: &str, value: f64| {
            assert!(
                (found["rows"][row][key].as_f64().unwrap() - value).abs() < 1e-12,
                "{row} {key}"
            );
        };
        near("holm", holm);
        near("benjamini_hochberg", share);
    }
    let without = &found["rows"][2];
    assert!(without["p"].is_null() && without["holm"].is_null());
    assert_eq!((&without["contrast"], &without["line"]), (&"c".into(), &4.into()));
    let counts = serde_json::json!({"raw": 4, "holm": 2, "benjamini_hochberg": 4});
    assert_eq!(found["rejected"], counts);

    let said = user.experiments("stat adjust p.csv --name contrast").ok();
    let cells =
        |line: usize| said.lines().nth(line).unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(cells(2), ["contrast", "p", "holm", "benjamini", "hochberg"]);
    assert_eq!(cells(4), ["b", "0.04", "0.0600", "0.0400"]);
    assert!(said.contains("Of 4 p-values, at most 0.05: 4 raw, 2 by Holm, 4 by"), "{said}");
    assert!(said.contains("1 row without a p-value"), "{said}");
    let stricter = json(&user.experiments("stat adjust p.csv --level 0.99 --json"));
    assert_eq!(stricter["rejected"]["holm"], 0);
}

#[test]
fn what_is_no_p_value_is_named() {
    let user = User::new();
    let with = |text: &str, args: &str| {
        user.write("p.csv", text);
        user.experiments(&format!("stat adjust p.csv {args}"))
    };
    with("", "").refused(&["p.csv is empty"]);
    with("p\n", "").refused(&["p.csv has a header and no rows"]);
    with("contrast,q\na,0.1\n", "").refused(&["line 1: there is no column `p`", "`contrast`, `q`"]);
    assert_eq!(with("contrast,q\na,0.1\n", "--column q").status, Some(0));
    with("p\n0.5\n1.5\n", "").refused(&["p.csv, line 3, column `p`: 1.5", "from 0 to 1"]);
    with("p\n-0.5\n", "").refused(&["line 2, column `p`: -0.5"]);
    with("p\nnan\n", "").refused(&["line 2, column `p`: `nan` is not a finite number"]);
    with("p\n<0.001\n", "").refused(&["line 2, column `p`: `<0.001` is not a number"]);
    with("a,p\nx,\n", "").refused(&["every cell of the column `p` is empty"]);
    with("holm,p\nx,0.1\n", "").refused(&["the column `holm` can't be carried through"]);
    with("a,p\nx,0.1\n", "--name b").refused(&["there is no column `b`"]);
    user.experiments("stat adjust none.csv").refused(&["none.csv cannot be read"]);
}

#[test]
fn strata_that_say_nothing_are_named() {
    let user = User::new();
    let header = "stratum,base_k,base_n,test_k,test_n\n";
    let with = |rows: &str, args: &str| {
        user.write("s.csv", &format!("{header}{rows}"));
        user.experiments(&format!("stat strata s.csv {args}"))
    };
    let rows =
        "epyc,8,10,0,10\narm,3,8,0,0\nxeon,0,0,1,9\nice,0,0,0,0\nquiet,0,8,0,8\nlost,8,8,8,8\n";
    let said = with(rows, "").ok();
    for (what, who) in [
        ("no trials on the test side", "arm"),
        ("no trials on the base side", "xeon"),
        ("no trials at all", "ice"),
        ("no events on either side", "quiet"),
        ("every trial of both sides has the event", "lost"),
    ] {
        let line =
            said.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{said}"));
        assert!(line.ends_with(&format!(": {who}.")), "{line}");
    }
    let found = json(&with(rows, "--json"));
    assert_eq!(found["notes"][1], "no trials on the test side, so nothing about the contrast: arm");
    // They change no number.
    let alone = json(&with("epyc,8,10,0,10\nquiet,0,8,0,8\nlost,8,8,8,8\n", "--json"));
    assert_eq!((&found["tests"], &found["difference"]), (&alone["tests"], &alone["difference"]));
    assert!(found["strata"][1]["difference"]["estimate"].is_null());

    for rows in ["arm,3,8,0,0\n", "arm,3,8,0,0\nxeon,0,0,1,9\n", "ice,0,0,0,0\n"] {
        with(rows, "")
            .refused(&["s.csv: no stratum has trials on both sides", "base_n and test_n"]);
    }
    // Few counts: the exact test is the one to read.
    assert!(with("arm,4,24,0,24\n", "").ok().contains("read exact-strata, not cmh"));
}

#[test]
fn samples_say_whether_they_have_two_modes() {
    let user = User::new();
    user.write("a.csv", "\u{feff}mops\n52.8\n46.1\n36.3\n51.7\n49.6\n4.2\n4.5\n4.0\n5.1\n4.6\n");
    user.write("b.csv", "52.8\n46.1\n36.3\n51.7\n49.6\n");
    user.write("c.csv", "-1\n2\n3\n");
    let found = json(&user.experiments("stat samples a.csv b.csv --resamples 1000 --json"));
    assert_eq!(
        keys(&found),
        ["a", "b", "median_ratio", "hodges_lehmann", "tests", "modes", "notes"]
    );
    let modes = &found["modes"]["a"];
    assert_eq!((&modes["n"], &modes["lower"]), (&10.into(), &5.into()));
    let cut = modes["cut"].as_f64().unwrap();
    assert!(cut > 5.1 && cut < 36.3, "{cut}");
    assert!(modes["bic_gain"].as_f64().unwrap() >= 10.0);
    let p = modes["dip"]["p_value"].as_f64().unwrap();
    assert!(p > 0.0 && p < 0.05, "{p}");
    // Dips are from 1/2n to 1/4.
    let dip = modes["dip"]["statistic"].as_f64().unwrap();
    assert!((0.05..=0.25).contains(&dip), "{dip}");
    let components = modes["components"].as_array().unwrap();
    assert_eq!(components.len(), 2);
    assert_eq!(keys(&components[0]), ["weight", "mu", "sigma"]);
    assert!((components[0]["mu"].as_f64().unwrap().exp() - 4.46).abs() < 0.05);
    assert!((components[1]["mu"].as_f64().unwrap().exp() - 46.9).abs() < 0.5);
    // Five values are too few, negative ones have no logarithm.
    assert!(found["modes"]["b"]["cut"].is_null() && found["modes"]["b"]["bic_gain"].is_null());
    assert!(found["modes"]["b"]["reason"].as_str().unwrap().contains("too few"));
    let negative = json(&user.experiments("stat samples a.csv c.csv --resamples 100 --json"));
    assert!(negative["modes"]["b"].is_null());

    // Zeros are set apart, and are no evidence of two modes.
    user.write("z.csv", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    let said = user.experiments("stat samples z.csv a.csv --level 0.9999 --all").ok();
    for part in ["1 of 11 values of a is 0", "fewer than 5 of 10000 resamples"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!said.contains("a has two modes"), "{said}");

    let said = user.experiments("stat samples a.csv b.csv --resamples 1000 --all").ok();
    for part in
        ["bic gain", "a has two modes, 5 of 10 below", "b is not called bimodal: 5 positive"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
}

#[test]
fn samples_are_a_column_of_a_csv_with_several() {
    let user = User::new();
    user.write("t.csv", "trial,mops_per_s,other\n1,52.8,4.2\n2,46.1,\n3,36.3,4.0\n");
    let run = |args: &str| user.experiments(&format!("stat samples {args}"));
    let found = json(&run("t.csv t.csv --column mops_per_s --column-b other --json"));
    assert_eq!((&found["a"]["median"], &found["a"]["n"]), (&46.1.into(), &3.into()));
    assert_eq!((&found["b"]["median"], &found["b"]["n"]), (&4.1.into(), &2.into()));
    let notes = found["notes"].as_array().unwrap();
    assert!(notes.contains(&"b: 1 row without a value, left out of 3".into()), "{notes:?}");

    run("t.csv t.csv")
        .refused(&["t.csv, line 1: there are 3 columns, `trial`, `mops_per_s`, `other`"]);
    run("t.csv t.csv").refused(&["--column NAME"]);
    run("t.csv t.csv --column mops").refused(&["line 1: there is no column `mops`"]);
    user.write("u.csv", "trial,mops_per_s\n1,52.8\n2,fast\n");
    run("u.csv t.csv --column mops_per_s")
        .refused(&["u.csv, line 3, column `mops_per_s`: `fast` is not a number"]);
    user.write("u.csv", "trial,mops_per_s\n1,inf\n");
    run("t.csv u.csv --column mops_per_s").refused(&["u.csv, line 2, column `mops_per_s`: `inf`"]);
    user.write("u.csv", "trial,mops_per_s\n1,\n");
    run("t.csv u.csv --column mops_per_s")
        .refused(&["every cell of the column `mops_per_s` is empty"]);
    user.write("u.csv", "52.8,46.1\n");
    run("u.csv t.csv").refused(&["u.csv, line 1: `52.8,46.1` is not a number", "--column NAME"]);
}

#[test]
fn a_file_without_a_header_is_not_read_as_if_it_had_one() {
    let user = User::new();
    user.write("t.csv", "1,52.8,5\n2,46.1,6\n3,36.3,7\n");
    user.write("one.csv", "5\n3\n8\n");
    user.write("b.csv", "4.2\n4.0\n");
    for args in [
        "samples t.csv t.csv --column 5",
        "samples t.csv t.csv --column 1 --column-b 5",
        "samples b.csv t.csv --column-b 5",
        "samples one.csv b.csv --column 5",
        "adjust t.csv --column 5",
        "survival t.csv",
        "threshold t.csv",
        "recovery t.csv --control 36",
        "strata t.csv",
    ] {
        let refused = user.experiments(&format!("stat {args}"));
        refused.refused(&["line 1: it holds numbers, `", "Put a line of names above"]);
    }
    // Without --column, a number a line has none and needs none.
    assert_eq!(json(&user.experiments("stat samples one.csv b.csv --json"))["a"]["n"], 3);
    // A name may be anything that is no row of numbers.
    user.write("named.csv", "threads,5\n1,52.8\n2,46.1\n");
    let found = json(&user.experiments("stat samples named.csv named.csv --column 5 --json"));
    assert_eq!(found["a"]["n"], 2);
}

#[test]
fn samples_are_tested_one_sided_where_that_is_asked() {
    // scipy 1.17.1: mannwhitneyu(a, b, alternative, method="exact"), brunnermunzel(a, b, alternative).
    let user = User::new();
    user.write("a.csv", "0.214002\n5.848701\n17.221367\n");
    user.write("b.csv", "1.85706\n0.192417\n1.589265\n0.428502\n2.759853\n");
    for (alternative, asked, [rank, tendency]) in [
        ("two-sided", "", [0.39285714285714285, 0.47653140406271177]),
        ("two-sided", " --alternative two-sided", [0.39285714285714285, 0.47653140406271177]),
        ("less", " --alternative less", [0.875, 0.7617342979686441]),
        ("greater", " --alternative greater", [0.19642857142857142, 0.23826570203135589]),
    ] {
        let found = json(&user.experiments(&format!("stat samples a.csv b.csv --json{asked}")));
        let tests = found["tests"].as_array().unwrap();
        let expected =
            [("mann-whitney", 11.0, rank), ("brunner-munzel", -0.8488746876271657, tendency)];
        assert_eq!(tests.len(), expected.len());
        for (test, (method, statistic, p)) in tests.iter().zip(expected) {
            assert_eq!(keys(test), ["method", "alternative", "statistic", "p_value"]);
            assert_eq!(
                (&test["method"], &test["alternative"]),
                (&method.into(), &alternative.into())
            );
            assert!((test["statistic"].as_f64().unwrap() - statistic).abs() < 1e-9, "{test}");
            assert!((test["p_value"].as_f64().unwrap() - p).abs() < 1e-9, "{test}");
        }
    }
    for (asked, says) in [("less", "a below b"), ("greater", "a above b")] {
        let said =
            user.experiments(&format!("stat samples a.csv b.csv --alternative {asked}")).ok();
        assert!(said.contains(&format!("one-sided: {says}")), "{said}");
    }
    user.experiments("stat samples a.csv b.csv --alternative smaller")
        .refused(&["--alternative", "two-sided, less, greater"]);
}

#[test]
fn less_than_nothing_is_nothing() {
    let user = User::new();
    user.write("p.csv", "p\n-0\n0.5\n");
    user.write("a.csv", "-0\n-0\n-0.0\n");
    user.write("v.csv", "time,event\n-0,1\n3,1\n");
    user.write("r.csv", "t_s,mops_per_s\n1,-0\n2,-0\n3,34\n4,34\n5,34\n6,34\n7,34\n");
    for args in [
        "adjust p.csv",
        "samples a.csv a.csv --resamples 100",
        "survival v.csv --rho -0 --gamma -0",
        "recovery r.csv --control 36 --start 0s",
    ] {
        let found = user.experiments(&format!("stat {args} --json")).ok();
        assert!(!found.contains("-0.0"), "{args}: {found}");
        let said = user.experiments(&format!("stat {args}")).ok();
        assert!(!said.contains("-0 ") && !said.contains("-0\n"), "{args}: {said}");
    }
}

#[test]
fn a_threshold_has_one_sided_bounds_and_its_notes() {
    let user = User::new();
    user.write("t.csv", "threads,n,k\n4,10,0\n8,10,0\n16,10,0\n32,10,10\n64,10,10\n");
    let found = json(&user.experiments("stat threshold t.csv --json"));
    assert_eq!(
        keys(&found),
        [
            "fit",
            "t10",
            "t50",
            "t90",
            "isotonic",
            "beyond",
            "goodness_of_fit",
            "slope_interval",
            "intercept_interval",
            "one_sided",
            "notes"
        ]
    );
    let number = |value: &Value| value.as_f64().unwrap();
    let (two, one) = (&found["t50"], &found["one_sided"]["t50"]);
    assert!(number(&two["low"]) < number(&one["at_least"]));
    assert!(number(&one["at_most"]) < number(&two["high"]));
    // By itself each holds at 95 %: the two-sided interval at 90 %.
    let wider = json(&user.experiments("stat threshold t.csv --level 0.9 --json"));
    let near = |a: &Value, b: &Value| (number(a) / number(b) - 1.0).abs() < 1e-9;
    assert!(near(&wider["t50"]["low"], &one["at_least"]), "{wider}");
    assert!(near(&wider["t50"]["high"], &one["at_most"]), "{wider}");
    assert!(found["notes"][0].as_str().unwrap().contains("the data are separated"));
    // None stalls: from at least so many threads on, and no more.
    user.write("t.csv", "threads,n,k\n4,24,0\n8,24,0\n16,24,0\n");
    let none = json(&user.experiments("stat threshold t.csv --json"));
    assert!(none["one_sided"]["t50"]["at_least"].is_number());
    assert!(none["one_sided"]["t50"]["at_most"].is_null() && none["t50"]["high"].is_null());
    let said = user.experiments("stat threshold t.csv").ok();
    assert!(said.contains("t50  above 16"), "{said}");
    let said = user.experiments("stat threshold t.csv --level 0.4 --all").ok();
    assert!(said.contains("Note: no one-sided bounds at 40 %"), "{said}");
}

#[test]
fn survival_answers_with_every_estimator() {
    let user = User::new();
    user.write(
        "t.csv",
        "group,time,event\nstock,14,1\nstock,33,1\nstock,165,1\nstock,169,1\nstock,280,1\nstock,300,1\n\
         stock,300,0\npatched,5,1\npatched,9,1\npatched,20,1\npatched,31,0\n",
    );
    let found = json(
        &user.experiments("stat survival t.csv --quantile 0.25 --quantile 0.9 --gamma 1 --json"),
    );
    let methods: Vec<&str> = found["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| test["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods, ["log-rank", "gehan-wilcoxon", "fleming-harrington"]);
    assert_eq!(
        (&found["tests"][2]["rho"], &found["tests"][2]["gamma"]),
        (&1.0.into(), &1.0.into())
    );
    let stock = &found["groups"][0];
    assert_eq!(
        (&stock["median"]["estimate"], &stock["shape_test"]["alternative"]),
        (&169.0.into(), &"two-sided".into())
    );
    let weibull = &stock["fits"][1];
    assert!((weibull["parameters"]["scale"].as_f64().unwrap() - 213.517).abs() < 5e-4);
    assert!((weibull["log_likelihood"].as_f64().unwrap() + 38.01).abs() < 5e-3);
    assert_eq!(
        (&stock["quantiles"][0]["p"], &stock["quantiles"][0]["estimate"]),
        (&0.25.into(), &33.0.into())
    );
    assert!(stock["quantiles"][1]["estimate"].is_null(), "S stays above 0.1");
    let contrast = &found["contrasts"][0];
    assert!(contrast["hazard_ratio"]["estimate"].is_number());
    assert!(contrast["rmst_difference"]["estimate"].is_number());
    let said = user.experiments("stat survival t.csv --quantile 0.25 --all").ok();
    for part in
        ["stock quantiles", "hazard ratio", "difference of restricted means", "stock shape test"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }

    user.write("looks.csv", "left,right\n0,7\n6,10\n7,\n9,12\n");
    let found = json(&user.experiments("stat survival looks.csv --quantile 0.25 --json"));
    let masses = found["groups"][0]["turnbull"].as_array().unwrap();
    let total: f64 = masses.iter().map(|mass| mass["mass"].as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-9, "{total}");
    assert_eq!(found["groups"][0]["quantiles"][0]["after"], 6.0);
    let said = user.experiments("stat survival looks.csv --quantile 0.25").ok();
    assert!(said.contains("quantiles") && said.contains("after"), "{said}");
    let said = user.experiments("stat survival t.csv --quantile 0.999999999 --quantile 1e-9").ok();
    assert!(said.contains("0.999999999") && said.contains("1.0000e-9"), "{said}");
    user.experiments("stat survival t.csv --quantile 25")
        .refused(&["--quantile", "above 0 and below 1"]);
}

#[test]
fn thousands_of_trials_a_side_are_still_enumerated() {
    let found = json(&User::new().experiments("stat two-by-two 900 3000 830 3000 --json"));
    let p = |method: &str, alternative: &str| {
        let tests = found["tests"].as_array().unwrap();
        let is = |test: &&Value| test["method"] == method && test["alternative"] == alternative;
        tests.iter().find(is).unwrap()["p_value"].as_f64().unwrap()
    };
    for alternative in ["two-sided", "less"] {
        let near = p("fisher-mid-p", alternative);
        for method in ["boschloo", "barnard"] {
            let found = p(method, alternative);
            assert!((found / near - 1.0).abs() < 0.04, "{method} {alternative}: {found} {near}");
        }
    }
    assert!(p("boschloo", "less") <= p("fisher", "less"));
    // The limit is said, and is no zero.
    let beyond = User::new().experiments("stat two-by-two 900 30000 870 30000 --all");
    assert!(beyond.ok().contains("enumerated up to 20000 trials in all"));
}

#[test]
fn what_a_statistician_finds_at_the_edges() {
    let user = User::new();
    let of = |file: &str, text: &str, args: &str| {
        user.write(file, text);
        user.experiments(args)
    };
    // Boschloo's two-sided p-value above Fisher's is said.
    let said = user.experiments("stat two-by-two 3 24 1 72 --all").ok();
    assert!(said.contains("boschloo is above fisher here"), "{said}");
    let found = json(&user.experiments("stat two-by-two 0 24 0 24 --json"));
    assert!(found["notes"][0].as_str().unwrap().contains("a ratio to it does not exist"));
    let found = json(&user.experiments("stat two-by-two 14 24 2 24 --json"));
    assert_eq!(found["notes"].as_array().map(Vec::len), Some(0), "{found}");

    let edge = "threads,n,k\n16,20,0\n32,20,0\n48,20,1\n64,0,0\n";
    let found = json(&of("t.csv", edge, "stat threshold t.csv --json"));
    let notes = found["notes"].to_string();
    assert!(notes.contains("largest thread count only, 1 of 20 at 48 threads"), "{notes}");
    assert!(notes.contains("without a trial, hence left out: 64 threads"), "{notes}");

    let header = "stratum,base_k,base_n,test_k,test_n\n";
    for (rows, says) in [
        ("a,0,8,0,8\nb,0,5,0,5\n", "allow one table only"),
        ("a,8,8,8,8\n", "allow one table only"),
        ("a,40000,90000,30000,90000\nb,40000,90000,30000,90000\n", "too large to enumerate"),
    ] {
        let said = of("s.csv", &format!("{header}{rows}"), "stat strata s.csv").ok();
        assert!(said.contains(says) && !said.contains("still answers"), "{said}");
    }
    of("s.csv", &format!("{header}a,1,8,0,8\na,1,8,0,8\n"), "stat strata s.csv")
        .refused(&["line 3, column `stratum`: `a` is the stratum of line 2 already"]);
    of("s.csv", &format!("{header},1,8,0,8\n"), "stat strata s.csv").refused(&["line 2, column"]);

    let none = "group,time,event,weight\na,1,1,3\na,2,1,1\na,3,0,1\nc,4,0,1\nc,3,0,1\n";
    let found = json(&of("v.csv", none, "stat survival v.csv --json"));
    let contrast = &found["contrasts"][0];
    assert_eq!(contrast["rmst_difference"]["estimate"], 1.0);
    assert!(contrast["rmst_difference"]["test"]["p_value"].is_null());
    assert!(found["notes"].to_string().contains("`weight` is not used"));
    let three = "group,time,event\na,1,1\na,2,1\nb,3,1\nb,4,1\nc,5,1\nc,6,1\n";
    let said = of("v.csv", three, "stat survival v.csv").ok();
    assert!(said.contains("p by Holm") && said.contains("not one Cox model"), "{said}");
    user.experiments("stat survival v.csv --gamma 1e300").refused(&["exponent gamma", "0 to 20"]);
    of("v.csv", "time,event,left,right\n1,1,0,1\n", "stat survival v.csv")
        .refused(&["columns of both kinds"]);
    of("v.csv", "time,event\n\u{1b}[31mx,1\n", "stat survival v.csv")
        .refused(&["`\\u001b[31mx` is not a number"]);
    user.experiments("stat survival .").refused(&["is a folder"]);

    let power = "stat power --base 0.5 --test 0.05 --n 12 --alternative less --json";
    assert_eq!(json(&user.experiments(power))["alternative"], "less");
    let said = user.experiments("stat proportion 1 10 --level 0.9999999").ok();
    assert!(said.contains("99.99999 % confidence"), "{said}");
    user.write("a.csv", "1\n2\n");
    user.experiments("stat samples a.csv a.csv --resamples 10000000000")
        .refused(&["100 to 100000000"]);
}

#[test]
fn no_answer_prints_an_infinity_or_a_p_of_0() {
    let user = User::new();
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    let check = |args: &str| {
        let said = user.experiments(args).ok();
        let found = words(&said);
        assert!(!found.iter().any(|word| word == "inf" || word == "nan"), "{args}: {said}");
        said
    };
    for (file, text) in [
        ("tiny.csv", "time,event\n5e-324,1\n"),
        ("huge.csv", "time,event\n1e308,1\n1e308,1\n1e308,1\n"),
        ("wide.csv", "time,event\n1e-5,1\n1e300,0\n1e308,0\n"),
        ("groups.csv", "group,time,event\na,1e308,1\na,1e307,1\nb,1e-308,1\nb,5e-324,1\n"),
        ("looks.csv", "left,right\n0,5e-324\n1e300,1e308\n1e308,\n"),
    ] {
        user.write(file, text);
        check(&format!("stat survival {file}"));
    }
    user.write("high.csv", "1e308\n1e308\n1e308\n1e308\n1e308\n1e308\n");
    user.write("low.csv", "-1e308\n-1e308\n-1e308\n-1e308\n-1e308\n-1e308\n");
    user.write("small.csv", "1e-308\n1e-308\n1e-308\n1e-308\n1e-308\n1e-308\n");
    for (a, b) in [("high", "low"), ("low", "high"), ("high", "small"), ("small", "high")] {
        let said = check(&format!("stat samples {a}.csv {b}.csv --resamples 100"));
        assert!(!said.contains("median of b is 0"), "{said}");
    }
    assert!(check("stat two-by-two 0 5000 5000 5000").contains("< 1e-300"));
    let strata = "stratum,base_k,base_n,test_k,test_n\na,1,90000,89999,90000\n";
    user.write("s.csv", strata);
    assert!(check("stat strata s.csv").contains("< 1e-300"));
}
