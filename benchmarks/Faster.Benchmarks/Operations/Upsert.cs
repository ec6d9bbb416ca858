using Faster.Contracts;

namespace Faster.Benchmarks.Operations;

/// <summary>Sets the key's value.</summary>
public readonly struct Upsert : IOperation
{
    public static long Call<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms> => (long)forms.Upsert(key, key);

    public static long Await<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms> => (long)IOperation.Done(forms.UpsertAsync(key, key));

    public static void Batch<TForms>(in TForms forms, ReadOnlySpan<long> keys, Span<ReadResult<long>> results)
        where TForms : struct, IForms<TForms> => forms.Upsert(keys, keys);
}
