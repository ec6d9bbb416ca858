namespace Faster.Devices;

/// <summary>
/// Whether this process may use io_uring: kernels before 5.11 lack it or a part of it, containers and administrators
/// often forbid it (seccomp, kernel.io_uring_disabled). Asked once, by making a ring.
/// </summary>
/// <remarks>Thread-safe. That there is no memory for a ring now is found out by each device for itself.</remarks>
internal static class RingSupport
{
    private static readonly Lazy<string?> Refusal = new(() => Ask(RingCalls.Real));

    /// <summary>Whether rings can be made.</summary>
    /// <param name="calls">The system.</param>
    /// <param name="refusal">Why not.</param>
    public static bool Of(RingCalls calls, out string? refusal)
    {
        refusal = calls == RingCalls.Real ? Refusal.Value : Ask(calls);
        return refusal is null;
    }

    private static string? Ask(RingCalls calls)
    {
        IoRing.TryCreate(calls, 1, cooperative: false, out string? refusal)?.Dispose();
        return refusal;
    }
}
