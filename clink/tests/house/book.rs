//! Compares the generated pages of the book with the tables they are generated from.

use clink::cli::verbs::own_flags;
use clink_runtime::config::SETTINGS;
use clink_runtime::metrics::series::SERIES;
use clink_runtime::registry::builtin::types;

use crate::catalogue::{graph_rules, macro_rules};
use crate::workspace::{Violations, compare_part, files, read};

#[test]
fn the_configuration_page_lists_every_setting() {
    let mut table = "| flag | variable | value | default | accepted | what it does |\n".to_owned();
    table += "|---|---|---|---|---|---|\n";
    for setting in SETTINGS {
        let default = if setting.default.is_empty() { setting.otherwise } else { setting.default };
        let value = setting.value.replace('|', "\\|");
        table += &format!(
            "| `--{}` | `{}` | {} | {} | {} | {} |\n",
            setting.flag, setting.variable, value, default, setting.bounds, setting.help
        );
    }
    compare_part("book/src/configuration.md", "settings", &table);
}

#[test]
fn the_page_on_the_command_line_lists_the_flags_that_verbs_have_of_their_own() {
    let mut table = "| flag | verbs | value | default | accepted | what it does |\n".to_owned();
    table += "|---|---|---|---|---|---|\n";
    for (verbs, flag) in own_flags() {
        let short = flag.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
        let takes = flag.get_action().takes_values();
        let names = flag.get_value_names().unwrap_or_default();
        let value = if takes { names.join(" ") } else { String::new() };
        let name = match flag.get_long() {
            Some(long) => format!("{short}`--{long}`"),
            None => format!("`{value}`"),
        };
        let default = flag.get_default_values().first();
        let default = default.map(|value| value.to_string_lossy()).unwrap_or_default();
        let values = flag.get_possible_values();
        let values = values.iter().map(|value| format!("`{}`", value.get_name()));
        let values = if takes { values.collect::<Vec<_>>().join(", ") } else { String::new() };
        let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        table += &format!("| {name} | {verbs} | {value} | {default} | {values} | {help} |\n");
    }
    compare_part("book/src/command-line.md", "verbs", &table);
}

#[test]
fn the_errors_page_lists_every_rule() {
    let head = "| code | the rule |\n|---|---|\n".to_owned();
    let macros = macro_rules()
        .into_iter()
        .fold(head.clone(), |table, (_, code, text)| table + &format!("| {code} | {text} |\n"));
    compare_part("book/src/errors.md", "macros", &macros);
    let graphs = graph_rules()
        .fold(head, |table, rule| table + &format!("| {} | {} |\n", rule.code, rule.meaning));
    compare_part("book/src/errors.md", "graphs", &graphs);
}

#[test]
fn the_page_on_graphs_lists_every_built_in_type() {
    let mut table = "| `type` | reads | writes | parameters |\n|---|---|---|---|\n".to_owned();
    for of in types() {
        let params = of.params.iter().map(|param| {
            let default = param.default.map(|value| format!(", else {value}"));
            format!("`{}`: {}{}", param.name, param.expected, default.unwrap_or_default())
        });
        let params = params.collect::<Vec<_>>().join("; ");
        table += &format!("| `{}` | {} | {} | {params} |\n", of.type_name, of.input, of.output);
    }
    compare_part("book/src/graphs.md", "builtins", &table);
}

#[test]
fn the_page_on_metrics_lists_every_series() {
    let mut table =
        "| series | kind | unit | of each | what it says |\n|---|---|---|---|---|\n".to_owned();
    for series in SERIES {
        table += &format!(
            "| `{}` | {} | {} | {} | {} |\n",
            series.name,
            series.kind.as_str(),
            series.unit,
            series.read.subject(),
            series.help
        );
    }
    compare_part("book/src/metrics.md", "series", &table);
    let mut labels = "| of each | labels |\n|---|---|\n".to_owned();
    let mut told = Vec::new();
    for read in SERIES.iter().map(|series| series.read) {
        if !told.contains(&read.subject()) {
            told.push(read.subject());
            let names: Vec<_> = read.labels().iter().map(|name| format!("`{name}`")).collect();
            labels += &format!("| {} | {} |\n", read.subject(), names.join(", "));
        }
    }
    compare_part("book/src/metrics.md", "labels", &labels);
}

#[test]
fn every_page_is_in_the_summary_and_compiled() {
    let summary = read("book/src/SUMMARY.md");
    let pages = read("book/pages.rs");
    let mut violations = Violations::default();
    let chapters = files().into_iter().filter(|path| {
        path.starts_with("book/src/") && path.ends_with(".md") && !path.ends_with("SUMMARY.md")
    });
    for path in chapters {
        let page = path.trim_start_matches("book/src/");
        if !summary.contains(&format!("({page})")) {
            violations.add("book/src/SUMMARY.md", 1, "lost page", &format!("link `{page}`"));
        }
        let text = read(&path);
        if text.contains("```rust") && !pages.contains(&format!("src/{page}\"")) {
            let help = format!("`{page}` has listings: include it, so that they compile");
            violations.add("book/pages.rs", 1, "listings", &help);
        }
        for (index, line) in text.lines().enumerate() {
            if line.starts_with("```rust,ignore") {
                let help = "a listing that does not compile is not shown";
                violations.add(&path, index + 1, "listings", help);
            }
        }
    }
    violations.assert_none();
}
