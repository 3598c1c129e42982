// What the page says, in the language of the document. English templates are the keys of their translations.

export const LANGUAGES = { en: "English", zh: "中文" };
export const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

const FIELD = /\{(\w+)(?::\w*)?\}/;

let translations = {};

export async function learnWords() {
  if (language === "en") return;
  const answer = await fetch(`messages/${language}.json`);
  if (answer.ok) translations = await answer.json();
}

// A format, as in {number:g}, tells the catalogues that the field is a number; it comes written already.
// Fields that are not given stay, for elements to be put there.
export function say(template, fields = {}) {
  return (translations[template] || template)
    .replace(new RegExp(FIELD, "g"), (field, name) => (name in fields ? String(fields[name]) : field));
}

// The sentence in pieces, its open fields filled with elements. Nothing inside these is looked at again.
export function around(sentence, elements) {
  return sentence.split(/(\{\w+\})/).map((piece) => {
    const [, name] = piece.match(FIELD) || [];
    return name in elements ? elements[name] : piece;
  }).flat();
}

export function speak(code) {
  document.cookie = `leakgauge_language=${code}; path=/; SameSite=Strict; max-age=31536000`;
  location.reload();
}
