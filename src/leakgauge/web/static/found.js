// What the server found about the secret that is chosen: what limits are checked against, and the words for them. Null is
// not known.

const unknown = () => ({ failed: false, letters: null, entropy: null, floor: null, words: {} });

export const found = unknown();

export const forget = () => Object.assign(found, unknown());

export const learn = ({ words, ...fields }) => Object.assign(found, fields, { words: { ...found.words, ...words } });
