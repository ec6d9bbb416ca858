using Faster.Conformance.Histories;

namespace Faster.Conformance.Tests;

/// <summary>Linearizability by its definition: tries every order of every choice of unanswered operations.</summary>
internal static class BruteForceChecker
{
    /// <summary>Whether a history of a few operations is linearizable.</summary>
    public static bool IsLinearizable<TValue>(
        Operation<TValue>[] history, ValueModel<TValue> model, RegisterState<TValue> initial)
    {
        int[] unanswered = [.. Enumerable.Range(0, history.Length).Where(i => !history[i].IsAnswered)];
        for (int choice = 0; choice < 1 << unanswered.Length; choice++)
        {
            List<Operation<TValue>> happened = [.. history.Where(operation => operation.IsAnswered)];
            for (int i = 0; i < unanswered.Length; i++)
                if ((choice >> i & 1) != 0) happened.Add(history[unanswered[i]]);
            if (AnyOrder(happened, 0, model, initial)) return true;
        }

        return false;
    }

    private static bool AnyOrder<TValue>(
        List<Operation<TValue>> operations, int placed, ValueModel<TValue> model, RegisterState<TValue> initial)
    {
        if (placed == operations.Count) return Fits(operations, model, initial);
        for (int i = placed; i < operations.Count; i++)
        {
            (operations[placed], operations[i]) = (operations[i], operations[placed]);
            if (AnyOrder(operations, placed + 1, model, initial)) return true;
            (operations[placed], operations[i]) = (operations[i], operations[placed]);
        }

        return false;
    }

    private static bool Fits<TValue>(
        List<Operation<TValue>> order, ValueModel<TValue> model, RegisterState<TValue> state)
    {
        for (int later = 1; later < order.Count; later++)
        {
            for (int earlier = 0; earlier < later; earlier++)
                if (order[later].Responded < order[earlier].Invoked) return false;
        }

        foreach (Operation<TValue> operation in order)
            if (!state.TryApply(operation, model, out state)) return false;
        return true;
    }
}
