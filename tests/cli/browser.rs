//! The page of a report in a browser, where there is one: headless Chromium paints it in light and in dark without a word of complaint, and
//! asks nobody for anything.

use std::{
    collections::BTreeSet,
    fs::File,
    io::BufReader,
    path::Path,
    process::{Command, Stdio},
};

use crate::{results, sandbox::Sandbox};

/// The browser by one of its names; `None` where there is none.
fn chromium() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| {
            let version = Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            version.is_ok_and(|status| status.success())
        })
}

/// Addresses that are no request to the network, or the browser's own business.
const OWN: [&str; 6] = [
    "file:",
    "data:",
    "chrome",
    "google.com/",
    "googleapis.com/",
    "gvt1.com/",
];

/// What a visit left: complaints on the console, and requests to anything that is no file.
struct Visit {
    console: Vec<String>,
    requests: Vec<String>,
}

fn visit(browser: &str, sandbox: &Sandbox, options: &[String]) -> Visit {
    let log = sandbox.path("net.json");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            "--disable-features=NetworkTimeServiceQuerying",
            "--enable-logging=stderr",
            "--v=0",
        ])
        .arg(format!(
            "--user-data-dir={}",
            sandbox.path("profile").display()
        ))
        .arg(format!("--log-net-log={}", log.display()))
        .args(options)
        .arg(format!("file://{}", sandbox.path("r.html").display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let console = said
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .map(String::from)
        .collect();
    // The log is JSON text: addresses of requests stand in it as "url":"...". What the browser asks its maker by itself is not
    // of the page, which names no address at all (a law of its own).
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let requests = log
        .split("\"url\":\"")
        .skip(1)
        .filter_map(|after| after.split('"').next())
        .filter(|url| !OWN.iter().any(|own| url.contains(own)))
        .map(String::from)
        .collect();
    Visit { console, requests }
}

/// The colour of the first pixel and the number of different colours of a picture.
fn colours(path: &Path) -> ([u8; 3], usize) {
    let decoder = png::Decoder::new(BufReader::new(File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    let size = frame.color_type.samples();
    let colours: BTreeSet<[u8; 3]> = bytes[..frame.buffer_size()]
        .chunks(size)
        .map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect();
    ([bytes[0], bytes[1], bytes[2]], colours.len())
}

#[test]
fn chromium_paints_the_page_in_light_and_dark_and_asks_nobody() {
    let Some(browser) = chromium() else {
        println!("SKIPPED: there is no Chromium to look at the page with");
        return;
    };
    let sandbox = Sandbox::new();
    for (name, value) in results::all() {
        sandbox.write(name.rsplit('/').next().unwrap(), value.to_string());
    }
    sandbox
        .run("report -o r.html link.json loss.json risk.json score.json evaluate.json masked.sdc.json describe.json match.json weights.json")
        .ended(0);
    // 0 is dark, 1 is light.
    for (scheme, ground) in [(1, [0xff, 0xff, 0xff]), (0, [0x11, 0x18, 0x27])] {
        let picture = sandbox.path("r.png");
        let seen = visit(
            browser,
            &sandbox,
            &[
                format!("--screenshot={}", picture.display()),
                "--window-size=1280,6000".into(),
                format!("--blink-settings=preferredColorScheme={scheme}"),
            ],
        );
        assert!(seen.console.is_empty(), "{:?}", seen.console);
        assert!(seen.requests.is_empty(), "{:?}", seen.requests);
        let (corner, different) = colours(&picture);
        assert_eq!(corner, ground);
        assert!(different > 100, "{different} colours: it is nearly blank");
    }
}
