use super::settings::Source;
use super::*;

fn load(vars: &[(&str, &str)]) -> Result<(Config, Vec<String>), ConfigError> {
    let home = ("HOME".to_owned(), "/home/ada".to_owned());
    let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Config::from_env(std::iter::once(home).chain(vars), |path| match path.to_str() {
        Some("/secret") => Ok("  canary-token\n".to_owned()),
        _ => Err("no such file".to_owned()),
    })
}

fn config(vars: &[(&str, &str)]) -> Config {
    load(vars).expect("accepted").0
}

fn refusal(vars: &[(&str, &str)]) -> String {
    load(vars).expect_err("refused").to_string()
}

#[test]
fn nothing_given_means_the_documented_defaults() {
    let config = config(&[]);
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.public_url_for(config.listen).origin(), "http://127.0.0.1:8080");
    assert_eq!(config.data_dir, Path::new("/home/ada/.local/share/inferex"));
    assert_eq!(config.database_path(), Path::new("/home/ada/.local/share/inferex/inferex.db"));
    assert_eq!((config.log_level.as_str(), config.log_format), ("info", LogFormat::Console));
    assert!(config.trusted_proxies.is_empty() && config.hf_token.is_none() && config.public_url.is_none());
}

#[test]
fn the_data_folder_follows_the_platform() {
    assert_eq!(config(&[("XDG_DATA_HOME", "/data")]).data_dir, Path::new("/data/inferex"));
    assert_eq!(config(&[("XDG_DATA_HOME", "data")]).data_dir, Path::new("/home/ada/.local/share/inferex"));
    assert_eq!(config(&[("INFEREX_DATA_DIR", "/here")]).data_dir, Path::new("/here"));
    let homeless = Config::from_env([], |_| Err(String::new())).expect_err("refused");
    assert_eq!(homeless.name, "INFEREX_DATA_DIR");
}

#[test]
fn every_malformed_value_names_its_variable() {
    let malformed = [
        ("INFEREX_LISTEN", "8080"),
        ("INFEREX_LISTEN", "localhost"),
        ("INFEREX_PUBLIC_URL", "inferex.example.org"),
        ("INFEREX_PUBLIC_URL", "https://inferex.example.org/path"),
        ("INFEREX_PUBLIC_URL", "https://ada:pw@inferex.example.org"),
        ("INFEREX_PUBLIC_URL", "ftp://inferex.example.org"),
        ("INFEREX_TRUSTED_PROXIES", "10.0.0.0/8,everybody"),
        ("LOG_LEVEL", "inof"),
        ("LOG_FORMAT", "xml"),
        ("GRAFANA_URL", "grafana"),
        ("PROMETHEUS_URL", "http://ada:pw@host"),
        ("HF_TOKEN", "two words"),
    ];
    for (name, value) in malformed {
        assert!(refusal(&[(name, value)]).starts_with(&format!("{name}: ")), "{name}={value}");
    }
}

#[test]
fn good_values_are_read() {
    let config = config(&[
        ("INFEREX_LISTEN", "[::1]:9000"),
        ("INFEREX_PUBLIC_URL", "HTTPS://Inferex.Example.org:443/"),
        ("INFEREX_TRUSTED_PROXIES", "10.0.0.0/8, 127.0.0.1,::1"),
        ("LOG_LEVEL", "info,inferex=debug"),
        ("GRAFANA_URL", "http://localhost:3000/"),
    ]);
    let public = config.public_url.expect("given");
    assert_eq!((public.origin(), public.is_https()), ("https://inferex.example.org", true));
    assert_eq!(config.trusted_proxies.len(), 3);
    assert_eq!(config.grafana_url.as_deref(), Some("http://localhost:3000"));
}

#[test]
fn a_file_may_hold_the_value_but_not_beside_the_variable() {
    let config = config(&[("HF_TOKEN_FILE", "/secret")]);
    assert_eq!(config.hf_token.as_ref().map(SecretText::expose), Some("canary-token"));
    assert_eq!(refusal(&[("HF_TOKEN_FILE", "/none")]), "HF_TOKEN_FILE: cannot read /none: no such file");
    assert_eq!(
        refusal(&[("HF_TOKEN_FILE", "/secret"), ("HF_TOKEN", "x")]),
        "HF_TOKEN: is set, and HF_TOKEN_FILE too; keep one of the two"
    );
}

#[test]
fn a_secret_is_in_neither_debug_nor_table() {
    let config = config(&[("HF_TOKEN", "canary-token")]);
    let table = serde_json::to_string(config.settings()).expect("serialises");
    assert!(table.contains("********") && !table.contains("canary-token"));
    assert!(!format!("{config:?}").contains("canary-token"));
}

#[test]
fn the_table_shows_every_setting_with_what_holds_and_why() {
    let config = config(&[("INFEREX_LISTEN", "0.0.0.0:9000")]);
    assert_eq!(config.settings().len(), settings::SETTINGS.len());
    let row = |name: &str| config.settings().iter().find(|row| row.name == name).expect("listed");
    assert_eq!(
        (row("INFEREX_LISTEN").value.as_str(), row("INFEREX_LISTEN").source),
        ("0.0.0.0:9000", Source::Environment)
    );
    assert_eq!((row("LOG_LEVEL").value.as_str(), row("LOG_LEVEL").source.as_str()), ("info", "default"));
    assert_eq!(row("INFEREX_PUBLIC_URL").value, "http://127.0.0.1:9000");
    assert!(row("INFEREX_DATABASE").value.ends_with("/inferex.db"));
}

#[test]
fn hosts_are_compared_with_their_port_and_without_their_case() {
    let public = PublicUrl::parse("http://inferex.lan:8080").expect("good");
    let host = |text: &str| HostName::parse(text).expect("a host");
    assert!(public.is_host(&host("INFEREX.lan:8080")) && !public.is_host(&host("inferex.lan")));
    let public = PublicUrl::parse("https://inferex.lan").expect("good");
    assert!(public.is_host(&host("inferex.lan:443")) && public.is_host(&host("inferex.lan.")));
    for loopback in
        ["localhost", "localhost:9000", "127.0.0.1:8080", "127.8.8.8", "[::1]:8080", "dev.localhost"]
    {
        assert!(host(loopback).is_loopback(), "{loopback}");
    }
    for other in ["localhost.example.org", "127.0.0.1.example.org", "10.0.0.1", "[::2]", "notlocalhost"] {
        assert!(!host(other).is_loopback(), "{other}");
    }
    for nonsense in ["", "ada@host", "host:port", "host:99999", "a b", "host/path"] {
        assert!(HostName::parse(nonsense).is_none(), "{nonsense}");
    }
}
