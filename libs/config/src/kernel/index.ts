export { bound, dynamoName, each, identifier, isUrl, matches, notEmpty, subsetOf } from './bounds.js';
export { bool, enumeration } from './choices.js';
export { clusterNodes, list, map, rows, secretList } from './collections.js';
export { leaf, table, type Bound, type Infer, type LeafType } from './node.js';
export { countOrAuto, f64, portBound, u16, u32, u64, u64OrNone } from './numbers.js';
export { octal, path, secret, string } from './text.js';
export { derived, optional } from './unset.js';
