#include "page.hpp"

#include <fmt/format.h>

#include <cmath>

#include "axes.hpp"
#include "text.hpp"

namespace ulna::cli {
namespace {

constexpr std::string_view style = R"(
:root{--page:#f6f7f8;--card:#fff;--ink:#1c2430;--soft:#647082;--line:#e2e6eb;--grid:#edf0f3;
--measured:#2f74a8;--predicted:#e0692c;--residual:#57606c;--held:#f3ecd9;--heldline:#b58a1b;
--good:#2c8a57;--bad:#c4392d;--base:#2f74a8;--dependent:#e6b450;--idle:#c6ccd4;--known:#8f7ab8;
--zero:#f0f2f5;--forbid:#fbeae8;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--page:#14181d;--card:#1c2229;--ink:#e4e8ec;--soft:#93a0af;
--line:#2e3741;--grid:#28303a;--measured:#62a8dd;--predicted:#f0894f;--residual:#a9b4c0;--held:#2a2820;
--heldline:#d5ac45;--good:#52b987;--bad:#ef6f62;--base:#4c93c9;--dependent:#c99736;--idle:#4a5561;
--known:#a491cc;--zero:#232a32;--forbid:#33211f}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,'Helvetica Neue',Arial,sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:27px;margin:0 0 4px;letter-spacing:-.01em}h2{font-size:19px;margin:44px 0 6px}
h3{font-size:14px;margin:14px 0 2px;font-weight:600}
p{margin:4px 0 12px;max-width:82ch}.soft,.sub{color:var(--soft)}.sub{margin:0 0 20px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:20px 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 16px}
.card b{display:block;font-size:25px;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.card span{color:var(--soft);font-size:13px}.panel{background:var(--card);border:1px solid var(--line);
border-radius:10px;padding:14px 18px;margin:10px 0;overflow-x:auto}
.good{color:var(--good)}.bad{color:var(--bad)}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
th{font-weight:600;color:var(--soft);text-align:left;border-bottom:1px solid var(--line);padding:4px 10px 4px 0;white-space:nowrap}
td{padding:3px 10px 3px 0;border-bottom:1px solid var(--grid);vertical-align:middle}
td.n,th.n{text-align:right}tr:last-child td{border-bottom:0}
td.u{white-space:nowrap}.wide svg{min-width:760px}
svg{display:block;width:100%;height:auto}svg text{font-size:11px;fill:var(--soft)}
.frame{fill:none;stroke:var(--line)}.grid{stroke:var(--grid);fill:none}.line{fill:none;stroke-width:1.3;stroke-linejoin:round}
.cut{stroke:var(--bad);stroke-dasharray:3 3;fill:none}svg .accent{fill:var(--bad)}
.key{display:inline-block;margin-right:18px;font-size:13px;color:var(--soft);white-space:nowrap}
.key i{display:inline-block;width:18px;height:0;border-top:2px solid;margin-right:6px;vertical-align:middle}
.key i.box{width:11px;height:11px;border:0;border-radius:2px}
@media print{body{background:#fff}.panel,.card{break-inside:avoid}}
)";

}  // namespace

std::string html_page(const std::string& title, std::string_view more_style,
                      const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang='en'>\n<head><meta charset='utf-8'/>\n<meta name='viewport' "
      "content='width=device-width, initial-scale=1'/>\n<title>{}</title>\n"
      "<style>{}{}</style></head>\n<body><main>\n{}</main></body></html>\n",
      safe(title), style, more_style, body);
}

std::string safe(std::string_view text) { return escaped(visible(text)); }

std::string percent(double x) { return std::isfinite(x) ? fmt::format("{:.2f} %", x) : "-"; }
std::string number(double x, int digits) {
  return std::isfinite(x) ? fmt::format("{:.{}g}", x, digits) : "-";
}

std::string card(const std::string& value, const std::string& what, std::string_view kind) {
  return fmt::format("<div class='card'><b class='{}'>{}</b><span>{}</span></div>\n", kind, value,
                     what);
}
std::string line_key(std::string_view colour, std::string_view what, bool dashed) {
  return fmt::format("<span class='key'><i style='border-color:var(--{}){}'></i>{}</span>", colour,
                     dashed ? ";border-top-style:dashed" : "", what);
}
std::string box_key(std::string_view colour, std::string_view what) {
  return fmt::format("<span class='key'><i class='box' style='background:var(--{})'></i>{}</span>",
                     colour, what);
}

std::string row(const std::vector<Cell>& cells, std::string_view kind, bool head) {
  std::string s = kind.empty() ? "<tr>" : fmt::format("<tr class='{}'>", kind);
  for (const Cell& c : cells)
    s += fmt::format("<{0}{1}>{2}</{0}>", head ? "th" : "td",
                     c.number                     ? " class='n'"
                     : c.text.starts_with("Nm s") ? " class='u'"
                                                  : "",
                     c.text);
  return s + "</tr>\n";
}

}  // namespace ulna::cli
