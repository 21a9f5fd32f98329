/** Comparison operator. */
export type ComparatorName = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** Parsed node of an expression. `chain` evaluates its right side on the result of its left side. */
export type Node =
  | { readonly type: 'current' }
  | { readonly type: 'literal'; readonly value: unknown }
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | {
      readonly type: 'slice';
      readonly start: number | null;
      readonly stop: number | null;
      readonly step: number | null;
    }
  | { readonly type: 'chain'; readonly left: Node; readonly right: Node }
  | { readonly type: 'or'; readonly left: Node; readonly right: Node }
  | { readonly type: 'and'; readonly left: Node; readonly right: Node }
  | { readonly type: 'not'; readonly child: Node }
  | {
      readonly type: 'comparison';
      readonly comparator: ComparatorName;
      readonly left: Node;
      readonly right: Node;
    }
  | { readonly type: 'list-projection'; readonly left: Node; readonly right: Node }
  | { readonly type: 'value-projection'; readonly left: Node; readonly right: Node }
  | {
      readonly type: 'filter-projection';
      readonly left: Node;
      readonly condition: Node;
      readonly right: Node;
    }
  | { readonly type: 'flatten'; readonly child: Node }
  | { readonly type: 'list'; readonly items: readonly Node[] }
  | { readonly type: 'hash'; readonly pairs: readonly (readonly [string, Node])[] }
  | { readonly type: 'function'; readonly name: string; readonly args: readonly Node[] }
  | { readonly type: 'reference'; readonly child: Node };

/** The nodes below a node. */
// oxlint-disable-next-line typescript/consistent-return -- every node type returns; the compiler checks it
export function childrenOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'current':
    case 'literal':
    case 'field':
    case 'index':
    case 'slice':
      return [];
    case 'not':
    case 'flatten':
    case 'reference':
      return [node.child];
    case 'list':
      return node.items;
    case 'hash':
      return node.pairs.map(([, value]) => value);
    case 'function':
      return node.args;
    case 'filter-projection':
      return [node.left, node.condition, node.right];
    case 'chain':
    case 'or':
    case 'and':
    case 'comparison':
    case 'list-projection':
    case 'value-projection':
      return [node.left, node.right];
  }
}
