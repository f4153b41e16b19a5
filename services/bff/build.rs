//! Builds again when a file of the page or a migration is added or changed, which the macros that
//! embed them do not announce.

fn main() {
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rerun-if-changed=migrations");
}
