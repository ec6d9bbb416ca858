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

    /// <summary>Calls every control, so that each is compiled.</summary>
    /// <param name="seed">A positive number.</param>
    public static long ExerciseAll(long seed)
    {
        Func<long, long> function = x => x + seed;
        return Virtual(seed)!.Length + Interface(seed, 0) + Delegate(function, seed) + Pointer(&Negate, seed)
            + Nested(seed) + (Allocation() is null ? 0 : 1);
    }

    private static long Negate(long value) => -value;
}
