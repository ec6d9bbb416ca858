using System.Runtime.CompilerServices;

namespace Faster.HitPath;

/// <summary>
/// What the test must find fault with: one method for each kind of call that a hit path may not make.
/// </summary>
internal static unsafe class Controls
{
    /// <summary>Makes a virtual call.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static string? Virtual(object o) => o.ToString();

    /// <summary>Makes an interface call.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Interface(IComparable<long> left, long right) => left.CompareTo(right);

    /// <summary>Makes a delegate call.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Delegate(Func<long, long> function, long argument) => function(argument);

    /// <summary>Calls through a function pointer.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Pointer(delegate*<long, long> function, long argument) => function(argument);

    /// <summary>Makes a virtual call one direct call further down.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Nested(object o) => Virtual(o) is null ? 0 : 1;

    /// <summary>Allocates.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static object Allocation() => new();

    /// <summary>Makes a span of a length that was found in memory: throws when it is negative.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Span(byte* slot) => new ReadOnlySpan<byte>(slot + 4, *(int*)slot).IndexOf((byte)1);

    /// <summary>Reads an element of an array: throws when there is none.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Element(long[] values, long at) => values[at];

    /// <summary>Adds with a check: throws when the sum overflows.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Sum(long left, long right) => checked(left + right);

    /// <summary>Throws by itself.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Thrown(long value) => value > 0 ? value : throw new InvalidOperationException("negative");

    /// <summary>Throws one direct call further down, by a helper of ours.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Passed(long value) => Checked(value) + 1;

    /// <summary>Calls every control, so that each is compiled.</summary>
    /// <param name="seed">A positive number.</param>
    public static long ExerciseAll(long seed)
    {
        Func<long, long> function = x => x + seed;
        return Virtual(seed)!.Length + Interface(seed, 0) + Delegate(function, seed) + Pointer(&Negate, seed)
            + Nested(seed) + (Allocation() is null ? 0 : 1) + ExerciseThrowing(seed);
    }

    private static long ExerciseThrowing(long seed)
    {
        long word = sizeof(int);
        return Span((byte*)&word) + Element([seed], 0) + Sum(seed, 1) + Thrown(seed) + Passed(seed);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Checked(long value)
    {
        if (value < 0) ThrowNegative();
        return value;
    }

    private static void ThrowNegative() => throw new InvalidOperationException("negative");

    private static long Negate(long value) => -value;
}
