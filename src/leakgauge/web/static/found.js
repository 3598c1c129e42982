// What the server found about the secret that is chosen: what limits are checked against. Null is not known.

const unknown = () => ({ failed: false, letters: null, entropy: null, floor: null });

export const found = unknown();

export const forget = () => Object.assign(found, unknown());

export const learn = (fields) => Object.assign(found, fields);
