//! Builds again when a file of the page is added or removed; changes inside files are tracked by the compiler.

fn main() {
    println!("cargo::rerun-if-changed=web");
}
