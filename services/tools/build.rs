//! Has the crate compiled again when a query's file or a migration changes: the macros that read them do not all say so.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=queries");
}
