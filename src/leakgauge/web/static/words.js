// What the page says, in the language of the document. English templates are the keys of their translations.

export const LANGUAGES = { en: "English", zh: "中文" };
export const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

let translations = {};

export async function learnWords() {
  if (language === "en") return;
  const answer = await fetch(`/messages/${language}.json`);
  if (answer.ok) translations = await answer.json();
}

// A format, as in {number:g}, tells the catalogues that the field is a number; it comes written already.
export function say(template, fields = {}) {
  return (translations[template] || template).replace(/\{(\w+)(?::\w*)?\}/g, (_, name) => String(fields[name]));
}

export function speak(code) {
  document.cookie = `leakgauge_language=${code}; path=/; SameSite=Strict; max-age=31536000`;
  location.reload();
}
