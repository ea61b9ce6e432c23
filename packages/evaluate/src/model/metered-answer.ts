/** What a model answered to one request, as the meter read it. */
export interface MeteredAnswer {
  readonly text: string;
  readonly toolCalls: readonly {
    readonly name: string;
    /** The arguments as JSON text. */
    readonly arguments: string;
  }[];
}
