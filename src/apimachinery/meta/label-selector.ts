/** metav1.LabelSelectorRequirement in its wire shape; also that of fields. */
export interface SelectorRequirement {
  key: string;
  operator: string;
  values?: readonly string[];
}

/** metav1.LabelSelector in its wire shape. */
export interface LabelSelectorObject {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly SelectorRequirement[];
}
