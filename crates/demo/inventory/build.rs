//! Builds again when a query's file or a migration changes,
//! which not all macros that read them announce.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=queries");
}
