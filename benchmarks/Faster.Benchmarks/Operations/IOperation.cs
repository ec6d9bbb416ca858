using Faster.Contracts;

namespace Faster.Benchmarks.Operations;

/// <summary>One operation in each form. Implemented by structs, so that calls are direct.</summary>
public interface IOperation
{
    /// <summary>In the form that returns a status.</summary>
    static abstract long Call<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms>;

    /// <summary>In the form that is awaited.</summary>
    static abstract long Await<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms>;

    /// <summary>In a batch.</summary>
    /// <param name="forms">The engine's operations.</param>
    /// <param name="keys">The keys.</param>
    /// <param name="results">Space for as many results.</param>
    static abstract void Batch<TForms>(in TForms forms, ReadOnlySpan<long> keys, Span<ReadResult<long>> results)
        where TForms : struct, IForms<TForms>;

    /// <summary>The result of an awaited call; all keys are in memory.</summary>
    protected static T Done<T>(ValueTask<T> task) =>
        task.IsCompletedSuccessfully ? task.Result : throw new InvalidOperationException("All keys are in memory.");
}
