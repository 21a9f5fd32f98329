/** What a log must not hold, whatever fails around the process: something escaped or was not expected. */
const TROUBLE = /uncaught|unhandled|\b(?:Type|Range|Reference|Syntax)Error\b|"level":"(?:ERROR|FATAL)"/i;

/** The lines of a log that tell of trouble. */
export const trouble = (log: string): string[] => log.split('\n').filter((line) => TROUBLE.test(line));
