//! The command line, as a user runs it.
#![expect(
    clippy::unwrap_used,
    reason = "a failure fails the test; clippy exempts only the test functions themselves"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_informer-apiserver"))
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn error_output(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn help_names_every_option() {
    let output = command().arg("--help").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let options = "port host-name kubeconfig crd load tls user sharded-list-and-watch \
                   managed-fields verbose";
    for option in options.split(' ') {
        assert!(
            text.contains(&format!("--{option}")),
            "{option} is missing in {text}"
        );
    }
}

#[test]
fn errors_name_the_file_and_the_cause() {
    let output = command().args(["--load", "/nonexistent"]).output().unwrap();
    let expected = "informer-apiserver: cannot load /nonexistent: No such file or directory";
    assert!(error_output(&output).starts_with(expected));

    let missing = "/nonexistent/kubeconfig";
    let output = command().args(["--kubeconfig", missing]).output().unwrap();
    let expected = "informer-apiserver: cannot write the kubeconfig /nonexistent/kubeconfig \
                    (--kubeconfig names another file): No such file or directory";
    assert!(error_output(&output).starts_with(expected));

    let broken = file("broken.json", "{ not json");
    let output = command().arg("--load").arg(&broken).output().unwrap();
    assert!(error_output(&output).contains("broken.json: is not JSON"));
}

/// Starts the server and waits until it serves; returns the process and its address.
#[cfg(unix)]
fn serving(arguments: &[&Path]) -> (Child, String) {
    let mut server = command()
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let address = first.rsplit("//").next().unwrap().to_owned();
    // The last line of the banner, printed when the server is ready.
    assert!(lines.any(|line| line.unwrap().contains("Ctrl-C")));
    (server, address)
}

/// Returns the response to a request, with its head.
#[cfg(unix)]
fn get(address: &str, path: &str) -> String {
    let mut connection = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

/// The generator's tests have the forms of manifests; both read them with one crate. This covers a
/// quoted scalar that continues at the indentation of its key, a list whose items lack `kind`, and
/// UTF-16.
#[cfg(unix)]
#[test]
fn definitions_are_read_as_the_generator_reads_them() {
    let [continued, list, wide] = ["Continued", "Listed", "Wide"].map(|kind| {
        let plural = format!("{}s", kind.to_lowercase());
        format!(
            "metadata:\n  name: {plural}.example.com\n  annotations:\n    text: 'one\n    two'\n\
             spec: {{group: example.com, scope: Cluster, names: {{kind: {kind}, plural: {plural}}}, versions: \
             [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]}}\n",
        )
    });
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition";
    let continued = file("continued.yaml", &format!("{head}\n{continued}"));
    let item = list.trim_end().replace('\n', "\n  ");
    let list = file("list.yaml", &format!("{head}List\nitems:\n- {item}\n"));
    let text = format!("\u{feff}{head}\n{wide}");
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = list.with_file_name("wide.yaml");
    std::fs::write(&wide, bytes).unwrap();

    let kubeconfig = list.with_file_name("kubeconfig-definitions");
    let mut arguments = vec![Path::new("--kubeconfig"), &kubeconfig];
    for path in [&continued, &list, &wide] {
        arguments.extend([Path::new("--crd"), path]);
    }
    let (mut server, address) = serving(&arguments);
    let answer = get(&address, "/apis/example.com/v1");
    server.kill().unwrap();
    server.wait().unwrap();
    for kind in ["Continued", "Listed", "Wide"] {
        let expected = format!("\"kind\":\"{kind}\"");
        assert!(answer.contains(&expected), "{kind} is missing in {answer}");
    }
}

/// Loads YAML, writes a kubeconfig, serves, and exits with 0 on Ctrl-C.
#[cfg(unix)]
#[test]
fn it_serves_until_it_is_interrupted() {
    let objects = file(
        "objects.yaml",
        "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a, namespace: team}\n---\n",
    );
    let kubeconfig = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kubeconfig");
    let arguments = [
        Path::new("--load"),
        &objects,
        Path::new("--kubeconfig"),
        &kubeconfig,
    ];
    let (mut server, address) = serving(&arguments);
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    assert!(text.contains(&format!("\"server\": \"http://{address}\"")));

    let answer = get(&address, "/api/v1/namespaces/team/configmaps/a");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");

    let interrupt = Command::new("kill")
        .args(["-INT", &server.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

/// Runs the server with an additional user until all kubeconfigs are written.
#[cfg(unix)]
fn write_kubeconfigs(kubeconfig: &Path) {
    let arguments = ["--user", "jane:developers", "--kubeconfig"].map(Path::new);
    let (mut server, _) = serving(&[&arguments[..], &[kubeconfig]].concat());
    server.kill().unwrap();
    server.wait().unwrap();
}

/// Returns the paths of the administrator's and jane's kubeconfigs in a new folder.
#[cfg(unix)]
fn kubeconfigs(name: &str) -> [PathBuf; 2] {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    [
        folder.join("kubeconfig"),
        folder.join("kubeconfig.jane.kubeconfig"),
    ]
}

/// In a shared folder for temporary files, another user can create a link at the path of the
/// kubeconfig.
#[cfg(unix)]
#[test]
fn a_kubeconfig_replaces_a_link() {
    let paths = kubeconfigs("links");
    for path in &paths {
        let other = path.with_extension("other");
        std::fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(&other, path).unwrap();
    }
    write_kubeconfigs(&paths[0]);
    for path in &paths {
        let other = path.with_extension("other");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
        assert!(std::fs::symlink_metadata(path).unwrap().is_file());
    }
}

/// Only the user who started the server can read the credentials, even if a file of that name
/// exists.
#[cfg(unix)]
#[test]
fn a_kubeconfig_is_readable_by_its_user_only() {
    use std::os::unix::fs::PermissionsExt as _;

    let paths = kubeconfigs("earlier");
    let earlier = paths.each_ref().map(|path| {
        std::fs::write(path, "earlier").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).unwrap();
        std::fs::File::open(path).unwrap()
    });
    write_kubeconfigs(&paths[0]);
    for (path, mut earlier) in paths.iter().zip(earlier) {
        let mut text = String::new();
        earlier.read_to_string(&mut text).unwrap();
        assert_eq!(
            text, "earlier",
            "the earlier file, which another process may have open, is unchanged"
        );
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        assert!(std::fs::read_to_string(path).unwrap().contains("\"users\""));
    }
    // No other file is left.
    let folder = paths[0].parent().unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 2);
}
