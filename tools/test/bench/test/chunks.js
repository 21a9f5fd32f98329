import * as fc from 'fast-check';

/** The same bytes, cut at arbitrary places (empty pieces included). @param {Buffer} bytes @returns {fc.Arbitrary<Buffer[]>} */
export const cutAnywhere = (bytes) =>
  fc.array(fc.nat(bytes.length), { maxLength: 30 }).map((places) => {
    const cuts = [0, ...places.sort((a, b) => a - b), bytes.length];
    return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
  });
