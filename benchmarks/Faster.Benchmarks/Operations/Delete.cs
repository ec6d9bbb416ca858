using Faster.Contracts;

namespace Faster.Benchmarks.Operations;

/// <summary>Deletes the key, and inserts it, since it must exist again.</summary>
public readonly struct Delete : IOperation
{
    public static long Call<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms> => (long)forms.Delete(key) + (long)forms.Upsert(key, 1);

    public static long Await<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms> =>
        (long)IOperation.Done(forms.DeleteAsync(key)) + (long)IOperation.Done(forms.UpsertAsync(key, 1));

    public static void Batch<TForms>(in TForms forms, ReadOnlySpan<long> keys, Span<ReadResult<long>> results)
        where TForms : struct, IForms<TForms>
    {
        forms.Delete(keys);
        forms.Upsert(keys, keys);
    }
}
