import { setFlagsFromString } from 'node:v8';

/** How V8 collects what is not needed any more; to be called before anything is warm. */
export function tuneCollector(): void {
  keepNewObjectsYoung();
  collectOldObjectsSeldom();
}

/**
 * Keeps V8 from guessing where objects should live. While a process starts and is warmed up, nearly everything it makes
 * stays, and V8 concludes that whatever is made in the same places of the code later will stay as well: it puts what
 * every request makes straight among the old objects. Those are collected in one go, 20 ms and more about once a second,
 * and in other starts of the same process never: by luck.
 */
function keepNewObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Lets the old objects become four times what was left of them before they are collected. That is as far as V8 goes for
 * a process that makes many of them; the fewer it makes, the sooner V8 collects them, down to a third more than was left,
 * so that one that hardly makes any is slowed down as often. How large a heap may become at most stays as it is.
 */
function collectOldObjectsSeldom(): void {
  setFlagsFromString('--heap-growing-percent=300');
}
