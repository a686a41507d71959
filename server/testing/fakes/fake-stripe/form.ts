/**
 * Form parameters with brackets read as objects: `metadata[a]=b`, `created[gte]=1`,
 * `types[0]=card`.
 */
export type Params = { [name: string]: string | Params };

export function parseForm(text: string): Params {
  const params: Params = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    const last = path.pop() ?? name;
    let at = params;
    for (const part of path) {
      const inner = at[part];
      const next: Params = typeof inner === 'object' ? inner : {};
      at[part] = next;
      at = next;
    }
    at[last] = value;
  }
  return params;
}
