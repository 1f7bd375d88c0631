import ts from 'typescript';

/**
 * Reports lookups of untrusted strings in objects that inherit from Object.prototype: a table in a module's
 * scope read as `TABLE[key]`, and `key in object`. Such a lookup finds `constructor` or `__proto__`. A Map, or Object.hasOwn, finds
 * only what was put in. Keys of a union of literals are the program's own and are allowed.
 */
export const ownPropertyLookups = {
  meta: {
    type: 'problem',
    docs: { description: 'Look strings up in Maps, or ask Object.hasOwn' },
    messages: {
      table: '{{name}} inherits from Object.prototype: make it a Map, or its keys a union of literals',
      inherited: '`in` finds what objects inherit: ask Object.hasOwn',
    },
    schema: [],
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const isAnyString = (node) => includesString(services.getTypeAtLocation(node));
    return {
      'MemberExpression[computed=true]'(node) {
        const { object, property } = node;
        if (object.type !== 'Identifier' || property.type === 'Literal' || isAssigned(node)) return;
        if (isTableOfModule(context, object) && isAnyString(property))
          context.report({ node, messageId: 'table', data: { name: object.name } });
      },
      "BinaryExpression[operator='in']"(node) {
        const { left } = node;
        if (left.type !== 'Literal' && left.type !== 'PrivateIdentifier' && isAnyString(left))
          context.report({ node, messageId: 'inherited' });
      },
    };
  },
};

function includesString(type) {
  if (type.isUnion()) return type.types.some(includesString);
  return (type.flags & (ts.TypeFlags.String | ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TemplateLiteral)) !== 0;
}

function isAssigned({ parent }) {
  return parent.type === 'AssignmentExpression' && parent.left.computed === true;
}

/** Declared in the module's scope with an object literal, possibly under a type assertion. */
function isTableOfModule(context, identifier) {
  const { scopeManager } = context.sourceCode;
  const variable = scopeManager.scopes.find(({ type }) => type === 'module')?.set.get(identifier.name);
  if (!variable?.references.some(({ identifier: used }) => used === identifier)) return false;
  let value = variable.defs[0]?.node.init;
  while (value?.type === 'TSAsExpression' || value?.type === 'TSSatisfiesExpression') value = value.expression;
  return value?.type === 'ObjectExpression';
}
