using Faster.Conformance.Histories;

namespace Faster.Conformance.Tests;

/// <summary>Random histories of one key, by seed.</summary>
internal static class RandomHistory
{
    /// <summary>
    /// Operations at random times with random answers from few values: often linearizable, often not.
    /// </summary>
    public static Operation<TValue>[] Anything<TValue>(
        Random random, int count, Func<TValue> input, Func<TValue> result) =>
    [
        .. Enumerable.Range(0, count).Select(i =>
        {
            long invoked = random.Next(12);
            return new Operation<TValue>
            {
                Session = i,
                Kind = (OperationKind)random.Next(4),
                Input = input(),
                Invoked = invoked,
                Responded = random.Next(6) == 0 ? Operation<TValue>.Never : invoked + random.Next(8),
                Found = random.Next(3) != 0,
                Result = result(),
            };
        }),
    ];

    /// <summary>
    /// A history of a correct store: operations take effect one after the other; each is issued up to some steps before
    /// its effect and answered up to some steps after it. No two answers come at the same time.
    /// </summary>
    public static Operation<TValue>[] Right<TValue>(
        Random random, int count, int overlap, ValueModel<TValue> model, Func<int, TValue> input)
    {
        var history = new Operation<TValue>[count];
        RegisterState<TValue> state = default;
        for (int i = 0; i < count; i++)
        {
            long effect = (i + 1) * 100;
            var operation = new Operation<TValue>
            {
                Session = i,
                Kind = (OperationKind)random.Next(4),
                Input = input(i),
                Invoked = ((effect - random.Next(1, 100 * overlap)) * count) + i,
                Responded = ((effect + random.Next(1, 100 * overlap)) * count) + i,
                Found = state.Present,
                Result = state.Value,
            };
            state.TryApply(operation, model, out state);
            history[i] = operation;
        }

        return history;
    }
}
