import { whyNot } from '../toolchain.js';
import { FRAMEWORK_RECIPES } from './framework-recipes.js';
import { LOCK_RECIPES } from './lock-recipes.js';
import { PAGE_RECIPES } from './page-recipes.js';
import type { Recipe } from './recipe.js';
import { SQL_RECIPES } from './sql-recipes.js';

/** Every program of the documentation that holds a lease. */
export const RECIPES: readonly Recipe[] = [...SQL_RECIPES, ...FRAMEWORK_RECIPES, ...PAGE_RECIPES, ...LOCK_RECIPES];

/** Why a program cannot run here; undefined if it can. */
export function missingFor({ needs }: Recipe): string | undefined {
  return needs.map(whyNot).find((reason) => reason !== undefined);
}
