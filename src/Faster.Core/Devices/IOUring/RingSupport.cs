namespace Faster.Devices.IOUring;

/// <summary>
/// Whether this process may use io_uring: kernels before 5.11 lack it or a part of it, and containers and
/// administrators often forbid it (seccomp, kernel.io_uring_disabled). Checked once, by creating a ring and sending a
/// request through it: a system may allow one of the calls and forbid another.
/// </summary>
/// <remarks>Thread-safe. Whether there is memory for a ring, each device finds out for itself.</remarks>
internal static class RingSupport
{
    private static readonly Lazy<string?> Refusal = new(() => Ask(RingCalls.Real));

    /// <summary>Whether rings can be created.</summary>
    /// <param name="calls">The system calls.</param>
    /// <param name="refusal">The reason why they can't.</param>
    public static bool Of(RingCalls calls, out string? refusal)
    {
        refusal = calls == RingCalls.Real ? Refusal.Value : Ask(calls);
        return refusal is null;
    }

    private static string? Ask(RingCalls calls)
    {
        using var ring = IORing.TryCreate(calls, 1, cooperative: false, out string? refusal);
        return ring is null ? refusal : ring.WhyIdle();
    }
}
