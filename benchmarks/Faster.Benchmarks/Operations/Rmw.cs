using Faster.Contracts;

namespace Faster.Benchmarks.Operations;

/// <summary>Adds to the key's value.</summary>
public readonly struct Rmw : IOperation
{
    public static long Call<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms> => (long)forms.Rmw(key, 1);

    public static long Await<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms> => (long)IOperation.Done(forms.RmwAsync(key, 1));

    public static void Batch<TForms>(in TForms forms, ReadOnlySpan<long> keys, Span<ReadResult<long>> results)
        where TForms : struct, IForms<TForms> => forms.Rmw(keys, keys);
}
