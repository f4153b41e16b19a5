//! Builds again when a query's file changes,
//! which not all macros that read them announce.

fn main() {
    println!("cargo::rerun-if-changed=queries");
}
