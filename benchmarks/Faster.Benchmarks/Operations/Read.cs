using Faster.Contracts;

namespace Faster.Benchmarks.Operations;

/// <summary>Reads the key.</summary>
public readonly struct Read : IOperation
{
    public static long Call<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms>
    {
        _ = forms.Read(key, out long value);
        return value;
    }

    public static long Await<TForms>(in TForms forms, long key)
        where TForms : struct, IForms<TForms> => IOperation.Done(forms.ReadAsync(key)).Value;

    public static void Batch<TForms>(in TForms forms, ReadOnlySpan<long> keys, Span<ReadResult<long>> results)
        where TForms : struct, IForms<TForms> => forms.Read(keys, results);
}
