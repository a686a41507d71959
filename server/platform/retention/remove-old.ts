import type { RetentionDatabase, RetentionRule } from '../../db/retention-rule.ts';

/** What became of one rule. */
interface Removal {
  rule: RetentionRule;
  /** Rows that were removed, also before a failure. */
  removed: number;
  failure?: unknown;
}

/**
 * Removes what is due by these rules, batch by batch; each is a statement of its own, so what a
 * process has done when it dies is done. A rule that fails keeps no other from its work. `goesOn`
 * is asked before each batch.
 */
export async function removeOld(
  db: RetentionDatabase,
  rules: readonly RetentionRule[],
  goesOn: () => boolean = () => true,
): Promise<Removal[]> {
  const removals: Removal[] = [];
  for (const rule of rules) {
    if (rule.days === undefined) continue;
    const removal: Removal = { rule, removed: 0 };
    removals.push(removal);
    try {
      for (let batch = 1; batch > 0 && goesOn(); removal.removed += batch)
        batch = await rule.remove(db);
    } catch (failure) {
      removal.failure = failure;
    }
  }
  return removals;
}
