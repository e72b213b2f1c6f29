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
    assert_eq!(keys(&found), ["k", "n", "estimate", "intervals"]);
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
    assert!(ended.out.contains("at 95 % confidence the probability is at most 0.117346"));
}

#[test]
fn a_two_by_two_table_has_the_contracts_shape() {
    let found = json(&User::new().experiments("stat two-by-two 4 24 0 24 --json"));
    assert_eq!(keys(&found), ["base", "test", "difference", "ratio", "odds_ratio", "tests"]);
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
    assert_eq!(keys(&found), ["strata", "odds_ratio", "difference", "tests"]);
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
    assert_eq!(keys(&found), ["n_per_side", "power", "level", "test"]);
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
