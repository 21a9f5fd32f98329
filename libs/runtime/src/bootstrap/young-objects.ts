import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from guessing where objects should live. While a process starts and is warmed up, nearly everything it makes
 * stays, and V8 concludes that whatever is made in the same places of the code later will stay as well: it puts what
 * every request makes straight among the old objects. Those are collected in one go, 20 ms and more about once a second,
 * and in other starts of the same process never: by luck. So this is called before anything is warm.
 */
export function keepNewObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
