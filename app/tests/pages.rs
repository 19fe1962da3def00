//! Every page against ports that answer with made-up data: complete HTML, nothing inline, everything escaped.

#[path = "../examples/preview/data.rs"]
#[allow(dead_code, missing_docs, reason = "shared with the preview")]
mod data;
#[path = "../examples/preview/fake.rs"]
#[allow(dead_code, missing_docs, reason = "shared with the preview")]
mod fake;

use std::sync::Arc;

use axum::body::Body;
use http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use inferex_app::ports::Visit;
use inferex_app::web;
use tower::ServiceExt;

const MEMBER_PAGES: [&str; 15] = [
    "/",
    "/engines",
    "/engines/dep-7",
    "/engines/dep-9",
    "/experiments",
    "/experiments/new",
    "/experiments/new?preset=custom&levels=1,x&variant=smollm2-135m-f16",
    "/experiments/exp-12",
    "/experiments/exp-13",
    "/experiments/exp-14",
    "/runs/run-101",
    "/runs/run-117",
    "/reports",
    "/reports/rep-4",
    "/settings",
];

async fn ask(empty: bool, mut request: Request<Body>) -> Response<Body> {
    let visit: Arc<dyn Visit> = Arc::new(fake::Guest::from_query(request.uri().query().unwrap_or_default()));
    request.extensions_mut().insert(visit);
    web::router::<()>(fake::context(empty)).oneshot(request).await.expect("the router never fails")
}

async fn page(path: &str) -> (StatusCode, String) {
    let response =
        ask(path.starts_with("/setup"), Request::get(path).body(Body::empty()).expect("a request")).await;
    let status = response.status();
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    (status, String::from_utf8(bytes.to_vec()).expect("text"))
}

async fn post(path: &str, form: &str) -> (StatusCode, String) {
    let request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT, "text/html")
        .header(header::REFERER, "http://127.0.0.1/somewhere")
        .body(Body::from(form.to_owned()))
        .expect("a request");
    let response = ask(false, request).await;
    let to = response.headers().get(header::LOCATION).map(|v| v.to_str().expect("text").to_owned());
    (response.status(), to.unwrap_or_default())
}

/// Every tag of that name with its attributes.
fn tags<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let opening = format!("<{name}");
    html.match_indices(&opening)
        .map(|(at, _)| &html[at + opening.len()..])
        .filter(|rest| rest.starts_with([' ', '>']))
        .map(|rest| rest.split('>').next().unwrap_or_default())
        .collect()
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()
}

fn check(path: &str, html: &str) {
    assert!(
        html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"),
        "{path} is complete"
    );
    assert!(!html.contains("style="), "{path} has no inline style");
    assert!(tags(html, "style").is_empty(), "{path} has no style element");
    assert!(!html.contains("<script>alert"), "{path} escapes");
    assert!(!html.contains("inferex-title"), "{path} has its title");
    for script in tags(html, "script") {
        assert_eq!(attribute(script, "nonce"), Some("made-up-nonce"), "{path}: <script{script}>");
        assert!(attribute(script, "src").is_some(), "{path}: <script{script}>");
    }
    assert!(!html.contains(" onclick=") && !html.contains("javascript:"), "{path} has no handler");
    assert_eq!(tags(html, "h1").len(), 1, "{path} has one h1");
    every_field_is_labelled(path, html);
    every_head_has_a_scope(path, html);
}

fn every_field_is_labelled(path: &str, html: &str) {
    let fields = ["input", "select", "textarea"].into_iter().flat_map(|name| tags(html, name));
    for field in fields.filter(|field| attribute(field, "type") != Some("hidden")) {
        let id = attribute(field, "id").map(|id| format!("for=\"{id}\""));
        let by_id = id.is_some_and(|id| html.contains(&id));
        let inside = html.contains(&format!("<label class=\"tick\"><input{field}>"));
        assert!(by_id || inside || attribute(field, "aria-label").is_some(), "{path}: {field} has no label");
    }
}

fn every_head_has_a_scope(path: &str, html: &str) {
    for head in tags(html, "th") {
        assert!(attribute(head, "scope").is_some(), "{path}: <th{head}> has no scope");
    }
}

#[tokio::test]
async fn every_page_is_complete_and_clean() {
    for path in MEMBER_PAGES {
        for variation in ["", "as=viewer", "flash=done", "flash=refused"] {
            let joint = if path.contains('?') { '&' } else { '?' };
            let (status, html) = page(&format!("{path}{joint}{variation}")).await;
            assert_eq!(status, StatusCode::OK, "{path}");
            check(path, &html);
        }
    }
    for path in ["/login", "/login?flash=refused", "/setup?code=made-up", "/r/made-up-token"] {
        let (status, html) = page(path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        check(path, &html);
    }
}

#[tokio::test]
async fn the_result_opens_with_its_finding_and_its_uncertainty() {
    for path in ["/experiments/exp-12", "/reports/rep-4", "/r/made-up-token"] {
        let (_, html) = page(path).await;
        let sentence =
            html.find("Q4_0 serves 1.65 × the tokens of F16 at concurrency 32").expect("the finding");
        let uncertainty = html.find("95 % interval 1.60–1.69").expect("the uncertainty");
        let results = html.find("id=\"results\"").expect("the table");
        assert!(sentence < uncertainty && uncertainty < results, "{path}");
        for word in ["Output throughput ", "One request’s speed ", "▲", "better", "3 / 1140", "±"] {
            assert!(html.contains(word), "{path} lacks {word}");
        }
    }
}

#[tokio::test]
async fn what_strangers_wrote_is_text() {
    let escaped = "&lt;script&gt;alert(1)&lt;/script&gt;";
    for path in [
        "/experiments/exp-13",
        "/engines/dep-7",
        "/settings",
        "/login?flash=refused",
        "/engines?flash=refused",
    ] {
        let (_, html) = page(path).await;
        assert!(html.contains(escaped), "{path}");
    }
    let (_, html) = page("/experiments/exp-13").await;
    assert!(html.contains(&format!("<title>{escaped} · Inferex</title>")));
    let (_, html) = page("/engines?flash=refused").await;
    assert!(html.contains("&lt;/textarea&gt;"), "a text area keeps what is in it");
}

#[tokio::test]
async fn a_shared_report_leads_nowhere() {
    let (_, html) = page("/r/made-up-token?as=nobody").await;
    for link in tags(&html, "a") {
        let href = attribute(link, "href").expect("an address");
        let own = ["/r/made-up-token/data.", "/r/made-up-token/charts/"];
        assert!(own.iter().any(|start| href.starts_with(start)), "{href}");
    }
    assert!(tags(&html, "nav").is_empty() && tags(&html, "form").is_empty());
    let (status, html) = page("/r/unknown?as=nobody").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(tags(&html, "a").is_empty() && !html.contains("unknown"));
}

#[tokio::test]
async fn strangers_are_led_to_the_door_and_back() {
    for (path, to) in [
        ("/?as=nobody", "/login?next=%2F%3Fas%3Dnobody"),
        ("/runs/run-3?as=nobody", "/login?next=%2Fruns%2Frun-3%3Fas%3Dnobody"),
    ] {
        let response = ask(false, Request::get(path).body(Body::empty()).expect("a request")).await;
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        assert_eq!(response.headers()[header::LOCATION], to);
    }
    let response = ask(true, Request::get("/?as=nobody").body(Body::empty()).expect("a request")).await;
    assert_eq!(response.headers()[header::LOCATION], "/setup");
}

#[tokio::test]
async fn unknown_things_are_not_found() {
    for path in
        ["/nowhere", "/experiments/exp-99", "/experiments/12", "/engines/dep-99", "/runs/%3Cscript%3E"]
    {
        let (status, html) = page(path).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
        check(path, &html);
    }
}

#[tokio::test]
async fn only_what_goes_on_is_loaded_again() {
    let refresh = async |path: &str| {
        let response = ask(false, Request::get(path).body(Body::empty()).expect("a request")).await;
        response.headers().get("refresh").map(|v| v.to_str().expect("text").to_owned())
    };
    assert_eq!(refresh("/experiments/exp-14").await.as_deref(), Some("2"));
    assert_eq!(refresh("/experiments/exp-14?live=off").await, None);
    assert_eq!(refresh("/experiments/exp-12").await, None);
    assert_eq!(refresh("/engines/dep-8").await.as_deref(), Some("2"));
    assert_eq!(refresh("/engines/dep-7").await, None);
}

#[tokio::test]
async fn acts_lead_on_or_back_to_their_form() {
    for (path, form, to) in [
        ("/do/sign-in", "name=ada&password=right&next=%2Fruns%2Frun-1", "/runs/run-1"),
        ("/do/sign-in", "name=ada&password=right&next=%2F%2Fevil.example", "/"),
        ("/do/sign-in", "name=ada&password=right", "/"),
        ("/do/sign-in", "name=ada&password=wrong&next=%2Freports", "/login?next=%2Freports"),
        ("/do/sign-out", "", "/login"),
        ("/do/set-up", "code=c&name=ada&password=a&again=b", "/setup?code=c"),
        ("/do/engine-install", "", "/engines#setup"),
        ("/do/deployment-start", "variant=x", "/engines/dep-8"),
        ("/do/deployment-stop", "deployment=dep-7", "/engines/dep-7"),
        ("/do/variant-import", "toml=nonsense", "/engines#import"),
        ("/do/variant-remove", "name=x", "/engines#variants"),
        ("/do/experiment-queue", "toml=nonsense", "/experiments/new#file"),
        ("/do/experiment-cancel", "experiment=exp-14", "/experiments/exp-14"),
        ("/do/experiment-requeue", "experiment=exp-14", "/experiments/exp-14"),
        ("/do/experiment-remove", "experiment=exp-12", "/experiments"),
        ("/do/report-create", "experiment=exp-12&title=T", "/reports/rep-4#share"),
        ("/do/report-share", "report=rep-4&expires=7d", "/reports/rep-4"),
        ("/do/report-share", "report=rep-4&expires=soon", "/reports/rep-4#share"),
        ("/do/share-revoke", "share=share-3&report=rep-4", "/reports/rep-4"),
        ("/do/report-remove", "report=rep-4", "/reports"),
        ("/do/user-create", "name=x&role=engineer&password=p", "/settings"),
        ("/do/user-create", "name=x&role=king&password=p", "/settings#create"),
        ("/do/user-disable", "name=x&disabled=true", "/settings"),
        ("/do/user-password", "name=x&password=p", "/settings"),
        ("/do/experiment-cancel?as=nobody", "experiment=exp-14", "/login?next=%2Fexperiments%2Fexp-14"),
    ] {
        assert_eq!(post(path, form).await, (StatusCode::SEE_OTHER, to.to_owned()), "{path} {form}");
    }
}

#[tokio::test]
async fn the_builder_queues_what_it_estimated() {
    let (_, html) = page("/experiments/new?preset=full&variant=smollm2-135m-q8_0&variant=smollm2-135m-f16&baseline=smollm2-135m-f16").await;
    let toml = tags(&html, "input")
        .into_iter()
        .find(|i| attribute(i, "name") == Some("toml"))
        .expect("the hidden file");
    let toml = attribute(toml, "value").expect("its text").replace("&quot;", "\"").replace("&amp;", "&");
    let spec: inferex_model::experiment::ExperimentSpec = toml::from_str(&toml).expect("an experiment file");
    assert_eq!(spec.arm[0].name, "f16");
    assert_eq!((spec.run_count(), spec.levels().len()), (30, 3));
}

#[tokio::test]
async fn who_may_not_is_told_why() {
    let (_, html) = page("/engines?as=viewer").await;
    assert!(html.contains("needs the role engineer; ada has viewer"));
    assert!(!html.contains("action=\"/do/deployment-start\""));
    let (_, html) = page("/settings?as=viewer").await;
    assert!(html.contains("needs the role admin") && !html.contains("grace"));
}
