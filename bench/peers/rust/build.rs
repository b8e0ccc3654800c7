//! Hands the compiler's version to the program.
fn main() {
    let rustc = std::env::var("RUSTC").unwrap();
    let version = std::process::Command::new(rustc).arg("--version").output().unwrap().stdout;
    println!("cargo:rustc-env=RUSTC={}", String::from_utf8(version).unwrap().trim());
}
