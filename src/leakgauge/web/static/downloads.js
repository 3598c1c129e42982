// Files of a job, its reports, and how to run it again without the page.

import { h } from "./elements.js";
import { help } from "./terms.js";
import { LANGUAGES, language, say } from "./words.js";

export function reports(job) {
  if (!job.files.some((file) => file.startsWith("report"))) return null;
  const place = `jobs/${encodeURIComponent(job.id)}/report`;
  const editions = [
    ["internal", say("Internal edition"), say("everything, for those who decide")],
    ["external", say("External edition"), say("what is public, declared or accounted for")],
  ];
  const spoken = [language, ...Object.keys(LANGUAGES).filter((code) => code !== language), "both"];
  const named = (code) => (code === "both" ? say("side by side") : LANGUAGES[code]);
  const link = (edition, name, code) => h("a", {
    href: `${place}?edition=${edition}&language=${code}`, target: "_blank", rel: "noopener",
    hreflang: code === "both" ? null : code, "aria-label": `${name}, ${named(code)}`,
  }, named(code));
  const paper = (edition, name, code) => h("a", {
    href: `${place}.pdf?edition=${edition}&language=${code}`, download: "", hreflang: code, "aria-label": `${name}, PDF, ${named(code)}`,
  }, `PDF ${named(code)}`);
  return h("div", {}, h("h3", {}, say("Report")), h("ul", { class: "reports" }, editions.map(([edition, name, why]) =>
    h("li", {}, h("span", {}, h("strong", {}, name), edition === "external" ? help("external") : null), h("span", { class: "small" }, why),
      h("span", { class: "links" }, spoken.map((code) => link(edition, name, code)),
        Object.keys(LANGUAGES).map((code) => paper(edition, name, code)))))));
}

export function downloads(job) {
  const place = `jobs/${encodeURIComponent(job.id)}/files`;
  const item = (file, why) => h("li", {}, h("a", { href: `${place}/${encodeURIComponent(file)}`, download: file }, file),
    why ? h("span", { class: "small" }, why) : null);
  const first = [
    [/^release\.(parquet|csv)$/, say("the protected table")],
    [/^release\.json$/, say("its record, which can be checked")],
    [/^report\.html$/, say("the report")],
    [/^report-external\.html$/, say("the report for others")],
    [/^channel\.json$/, say("the channel")],
  ];
  const known = first.flatMap(([form, why]) => job.files.filter((file) => form.test(file)).map((file) => [file, why]));
  const rest = job.files.filter((file) => !known.some(([name]) => name === file));
  return h("div", {}, job.files.length ? [h("h3", {}, say("Files")), beforeHandingOut(job), h("p", {}, h("a", {
    class: "button", href: `jobs/${encodeURIComponent(job.id)}/all.zip`, download: `${job.id}.zip`,
  }, say("Download all (zip)")), " ", h("span", { class: "small" }, say("with the internal ones: keep it private")))] : null,
    h("ul", { class: "downloads" }, known.map(([file, why]) => item(file, why))),
    rest.length ? h("details", {}, h("summary", {}, say("All other files")),
      h("ul", { class: "downloads" }, rest.map((file) => item(file)))) : null,
    h("h3", {}, say("The same without this page")),
    job.note ? h("p", { class: "note" }, job.note) : null,
    job.command ? again("command", say("Command"), job.command, "protect.sh") : null,
    job.script ? again("script", say("Python script"), job.script, "protect.py") : null);
}

// What the recommendation says against handing out the files for others.
function beforeHandingOut(job) {
  const words = {
    "do not release": say("Do not hand out anything yet: keep all these files private."),
    "release if": say("Hand out the release once the conditions are met."),
  }[job.released && job.recommendation];
  return words ? h("p", { class: "warning", id: "before-handing-out" }, words) : null;
}

function again(id, name, text, file) {
  const told = h("span", { role: "status", class: "small" });
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      told.textContent = say("copied");
    } catch {
      told.textContent = say("The browser did not allow it; select the text instead.");
    }
  }
  const content = URL.createObjectURL(new Blob([`${text.trimEnd()}\n`], { type: "text/plain" }));
  return h("div", { class: "again" },
    h("div", { class: "row" }, h("strong", { id: `${id}-name` }, name),
      h("button", { type: "button", class: "quiet", click: copy, "aria-label": say("Copy: {name}", { name }) },
        say("Copy")),
      h("a", { href: content, download: file, "aria-label": say("Download: {name}", { name }) }, file), told),
    h("pre", { id, tabindex: "0", role: "region", "aria-labelledby": `${id}-name` }, h("code", {}, text)));
}
