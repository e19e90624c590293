// Right and wrong retry code. `// retry: BOUND WAIT` stands where a location begins; everything else is none.
type Options = { retries?: number; delay: number };

export async function right<T>(call: () => Promise<T>, options: Options): Promise<T> {
  let delay = options.delay;
  for (let attempt = 1; ; attempt++) { // retry: count growing
    try {
      return await call();
    } catch (error: unknown) {
      if (attempt >= (options.retries ?? 3)) throw error;
      await new Promise<void>((resolve) => setTimeout(resolve, delay));
      delay *= 2;
    }
  }
}

export class Client {
  private attempts = 0;

  private onError = (error: Error): void => {
    this.connect(); // retry: count growing
  };

  private connect(): void {
    if (this.attempts >= 10) return;
    this.attempts++;
    setTimeout(() => this.dial(this.onError), 100 * 2 ** this.attempts); // retry: count growing
  }

  private dial(onError: (error: Error) => void): void {}
}

// None of these tries the same again.

export function plain(values: number[]): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i] < 0) continue;
    sum += values[i];
  }
  return sum;
}
