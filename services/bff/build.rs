//! Has the crate compiled again when a migration changes, which the macro that reads them does not say.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
