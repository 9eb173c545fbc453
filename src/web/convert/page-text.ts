/** What a page says. */
export interface PageText {
  readonly title: string;
  /** Markdown of HTML; anything else as it is. */
  readonly text: string;
  /** It asks for a password, which is all that some pages do. */
  readonly hasLogin: boolean;
  /** There was more than is read of a page. */
  readonly isCut: boolean;
}
