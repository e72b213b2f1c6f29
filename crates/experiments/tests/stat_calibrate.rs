//! `experiments stat calibrate` with files: rows that are read again, and what they must not be written
//! over.

mod driven;

use driven::User;

const HEADER: &str =
    "family,quantity,size,truth,method,level,how,coverage,above,below,unbounded,standard_error\n";

fn row(method: &str, level: &str) -> String {
    format!("proportions,p,n=5,p=0.1,{method},{level},enumerated,0.99967,0.00033,0,0,0\n")
}

#[test]
fn a_row_that_is_there_twice_is_refused_by_its_key() {
    let user = User::new();
    user.write("a.csv", &format!("{HEADER}{}{}", row("wilson", "0.95"), row("jeffreys", "0.95")));
    user.write("b.csv", &format!("{HEADER}{}", row("wilson", "0.95")));
    user.experiments("stat calibrate --from a.csv --from b.csv").refused(&[
        "b.csv, line 2",
        "family `proportions`, quantity `p`, size `n=5`, truth `p=0.1`, method `wilson`",
        "a.csv, line 2 has them already",
    ]);
    user.experiments("stat calibrate --from a.csv --from a.csv").refused(&["a.csv, line 2"]);
    user.write("c.csv", &format!("{HEADER}{}", row("mid-p", "0.9")));
    user.experiments("stat calibrate --from a.csv --from c.csv")
        .refused(&["c.csv, line 2, column `level`: 0.9, where the first row has 0.95"]);
}

#[test]
fn tables_name_their_level_and_round_nothing_to_all() {
    let user = User::new();
    user.write("a.csv", &format!("{HEADER}{}", row("wilson", "0.999")));
    let said = user.experiments("stat calibrate --from a.csv --markdown").ok();
    assert!(said.contains("**proportions** (intervals at 99.9 %, enumerated)"), "{said}");
    assert!(said.contains("| 99.97 / 99.97 |"), "{said}");
    let said = user.experiments("stat calibrate --from a.csv").ok();
    assert!(said.contains("nominal 99.9 %") && said.contains("99.97"), "{said}");
}

#[test]
fn no_file_is_written_over_another() {
    let user = User::new();
    let rows = format!("{HEADER}{}", row("wilson", "0.95"));
    user.write("a.csv", &rows);
    user.write("a.svg", &rows);
    for (args, says) in [
        ("--from a.csv --out a.csv", "--out a.csv: it is the file of --from"),
        ("--from a.csv --out ./a.csv", "--out ./a.csv: it is the file of --from"),
        ("--from a.svg --figure a.svg", "--figure a.svg: it is the file of --from"),
        ("--family proportions --out b.svg --figure b.svg", "it is the file of --out"),
    ] {
        user.experiments(&format!("stat calibrate {args}")).refused(&[says, "another file"]);
    }
    assert_eq!(user.read("a.csv"), rows);
    assert_eq!(user.read("a.svg"), rows);
    // The option that names the place is the one that is spoken of.
    user.experiments("stat calibrate --from a.csv --figure none/a.svg")
        .refused(&["none/a.svg can't be written", "Accepted for --figure"]);
    user.experiments("stat calibrate --from a.csv --out none/b.csv")
        .refused(&["none/b.csv can't be written", "Accepted for --out"]);
}
