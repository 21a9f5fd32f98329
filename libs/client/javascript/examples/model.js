/** A stub of a model: repeats the question word by word and counts, so that an answer takes a while. */
async function* words(question, pauseMs) {
  const answer = `You asked: ${question} Let me count. ${Array.from({ length: 40 }, (_, n) => n + 1).join(' ')}`;
  for (const word of answer.split(/(?<= )/)) {
    await new Promise((later) => setTimeout(later, pauseMs));
    yield word;
  }
}

/** Streams the model's answer to the channel, where all subscribers read it as it grows. */
export async function answerTo(channel, question, pauseMs = 100) {
  const runId = crypto.randomUUID();
  await channel.messages.publish('said', question);
  const stream = channel.ai.stream({ transport: { 'run-id': runId, role: 'assistant' } });
  try {
    for await (const word of words(question, pauseMs)) stream.append(word);
    await stream.complete();
  } catch (error) {
    await stream.cancel().catch(() => undefined);
    throw error;
  }
}
