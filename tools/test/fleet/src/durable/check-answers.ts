import type { DurableFault } from './faults/fault.js';
import type { DurablePublication } from './records.js';

/** The publisher's time of 5 s, and what a busy machine adds to it. */
const ANSWER_WITHIN_MS = 6500;

/** What of the answers contradicts what is promised, whatever fails: accepted, or refused for now, and in time. */
export function checkAnswers(
  publications: readonly DurablePublication[],
  { mayRefuse, mustRefuse, mayHangUp }: Pick<DurableFault, 'mayRefuse' | 'mustRefuse' | 'mayHangUp'>,
): string[] {
  const wasRefused = publications.some(({ attempts }) => attempts.some(({ status }) => status === 503));
  const wrong = mustRefuse === true && !wasRefused ? ['nobody was refused'] : [];
  return wrong.concat(
    publications.flatMap(({ publisher, channel, number, messageId, acceptedAtMs, attempts }) => {
      const who = `${publisher} ${number} on ${channel}`;
      const wrong = attempts.flatMap(({ api, tookMs, status, code, saysWhen }) => {
        const what = `${who}: ${api} answered ${status ?? 'nothing'} ${code ?? ''} after ${Math.round(tookMs)} ms`;
        if (tookMs > ANSWER_WITHIN_MS) return [what];
        if (status === null) return mayHangUp ? [] : [what];
        if (status === 503) return mayRefuse && saysWhen ? [] : [what];
        return status === 200 ? [] : [what];
      });
      return messageId !== null && acceptedAtMs === null ? [...wrong, `${who} was never accepted`] : wrong;
    }),
  );
}
