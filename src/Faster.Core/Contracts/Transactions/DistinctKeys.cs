using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Faster.Contracts;

/// <summary>Checks that the keys of a transaction's single records differ.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class DistinctKeys
{
    /// <summary>Throws if two keys have the same bytes.</summary>
    /// <typeparam name="T">The type of the keys.</typeparam>
    /// <param name="first">A key.</param>
    /// <param name="second">Another key.</param>
    /// <param name="firstName">The parameter of the first key.</param>
    /// <param name="secondName">The parameter of the second key.</param>
    /// <exception cref="ArgumentException">The keys are equal.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void ThrowIfEqual<T>(T first, T second, string firstName, string secondName)
        where T : unmanaged
    {
        if (MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in first))
            .SequenceEqual(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in second)))) Throw(firstName, secondName);
    }

    /// <inheritdoc cref="ThrowIfEqual{T}"/>
    public static void ThrowIfEqual(
        ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, string firstName, string secondName)
    {
        if (first.SequenceEqual(second)) Throw(firstName, secondName);
    }

    private static void Throw(string first, string second) => throw new ArgumentException(
        $"'{first}' and '{second}' are the same key: each single record of a transaction is another one.", second);
}
