using System.Globalization;
using System.Text;
using Faster.Conformance.Histories;

namespace Faster.Conformance.Contract;

/// <summary>Keys, values and inputs by number, so that one test runs on longs and on bytes.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values and inputs.</typeparam>
/// <remarks>Distinct numbers give distinct keys, values and inputs. Immutable, thread-safe.</remarks>
public abstract class Flavor<TKey, TValue>
    where TKey : notnull
{
    /// <summary>What a read-modify-write does.</summary>
    public abstract ValueModel<TValue> Model { get; }

    /// <summary>When two keys are the same.</summary>
    public abstract IEqualityComparer<TKey> KeyEquality { get; }

    /// <summary>The input that <see cref="Count"/> counts.</summary>
    public abstract TValue Unit { get; }

    /// <summary>How many units one key can take.</summary>
    public abstract int MaxUnits { get; }

    /// <summary>The least bytes that a record with a bulky value takes up.</summary>
    public abstract int BulkyRecordSize { get; }

    /// <summary>The key of a number.</summary>
    public abstract TKey Key(long number);

    /// <summary>The value of a number.</summary>
    public abstract TValue Value(long number);

    /// <summary>A value that fills memory; the plain value where values have a fixed size.</summary>
    public abstract TValue Bulky(long number);

    /// <summary>The input of a number.</summary>
    public abstract TValue Input(long number);

    /// <summary>How many units a value that began as one holds.</summary>
    public abstract long Count(TValue value);

    /// <summary>Spreads numbers over 62 bits, so that a sum of distinct ones shows which it contains.</summary>
    protected static long Spread(long number)
    {
        ulong x = (ulong)number * 0x9E37_79B9_7F4A_7C15;
        x = (x ^ (x >> 29)) * 0xBF58_476D_1CE4_E5B9;
        return (long)((x ^ (x >> 32)) >> 2);
    }
}

/// <summary>Keys and values are longs, and Rmw adds.</summary>
public sealed class CounterFlavor : Flavor<long, long>
{
    /// <summary>The one instance.</summary>
    public static readonly CounterFlavor Instance = new();

    /// <inheritdoc/>
    public override ValueModel<long> Model { get; } = new AddModel();

    /// <inheritdoc/>
    public override IEqualityComparer<long> KeyEquality => EqualityComparer<long>.Default;

    /// <inheritdoc/>
    public override long Unit => 1;

    /// <inheritdoc/>
    public override int MaxUnits => int.MaxValue;

    /// <inheritdoc/>
    public override int BulkyRecordSize => 24;

    /// <inheritdoc/>
    public override long Key(long number) => number;

    /// <inheritdoc/>
    public override long Value(long number) => Spread(number);

    /// <inheritdoc/>
    public override long Bulky(long number) => Spread(number);

    /// <inheritdoc/>
    public override long Input(long number) => Spread(~number);

    /// <inheritdoc/>
    public override long Count(long value) => value;
}

/// <summary>Keys and values are bytes of varying length, and Rmw appends.</summary>
public sealed class AppenderFlavor : Flavor<byte[], byte[]>
{
    /// <summary>The one instance.</summary>
    public static readonly AppenderFlavor Instance = new();

    /// <inheritdoc/>
    public override ValueModel<byte[]> Model { get; } = new AppendModel();

    /// <inheritdoc/>
    public override IEqualityComparer<byte[]> KeyEquality => ByteArrayComparer.Instance;

    /// <inheritdoc/>
    public override byte[] Unit { get; } = "x"u8.ToArray();

    /// <inheritdoc/>
    public override int MaxUnits => 1_500;

    /// <inheritdoc/>
    public override int BulkyRecordSize => 400;

    /// <inheritdoc/>
    public override byte[] Key(long number) =>
        Text($"key {number}{new string('.', (int)(Spread(number) % 23))}");

    /// <inheritdoc/>
    public override byte[] Value(long number) =>
        Text($"{number}:{new string((char)('a' + (Spread(number) % 26)), (int)(Spread(number) % 41))};");

    /// <inheritdoc/>
    public override byte[] Bulky(long number) =>
        Text($"{number}:{new string((char)('a' + (Spread(number) % 26)), 400 + (int)(Spread(number) % 200))};");

    /// <inheritdoc/>
    public override byte[] Input(long number) => Text($"+{number:x}");

    /// <inheritdoc/>
    public override long Count(byte[] value)
    {
        Assert.True(value.AsSpan().IndexOfAnyExcept((byte)'x') < 0, "A value holds bytes that were never appended.");
        return value.Length;
    }

    private static byte[] Text(FormattableString text) =>
        Encoding.UTF8.GetBytes(text.ToString(CultureInfo.InvariantCulture));
}
