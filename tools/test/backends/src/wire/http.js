const ANSWER_LIMIT_MS = 5000;

/** Resolves with the text of a response; anything but a 2xx rejects with it. @param {string} url @param {RequestInit} [init] */
export async function answers(url, init) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 200)}`);
  return text;
}

/**
 * The JSON an engine answers; anything but a 2xx rejects with what it said.
 * @param {string} url @param {RequestInit} [init]
 * @returns {Promise<Record<string, unknown>>}
 */
export async function json(url, init) {
  const text = await answers(url, init);
  // An action without a result answers nothing at all.
  return text === '' ? {} : JSON.parse(text);
}
