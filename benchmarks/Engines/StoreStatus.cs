using System.Diagnostics.CodeAnalysis;
using Faster.Workload;

namespace Faster.Workload.Engines;

/// <summary>Checks our store's answers: everything is in memory, so nothing may be pending or missing.</summary>
internal static class StoreStatus
{
    /// <summary>Requires that an operation is done and found its key.</summary>
    public static void RequireOk(Status status)
    {
        if (status != Status.Ok)
            Throw(status);
    }

    [DoesNotReturn]
    private static void Throw(Status status) =>
        throw new WrongAnswerException($"The store answered '{status}' for a key that is in memory.");
}
