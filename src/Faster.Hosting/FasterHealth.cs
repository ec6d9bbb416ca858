using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Faster.Hosting;

/// <summary>Adds health checks of an application's stores.</summary>
public static class FasterHealth
{
    /// <summary>The tag of the check that says whether requests can be served.</summary>
    public const string ReadyTag = "ready";

    /// <summary>The tag of the check that says whether the process must be started again.</summary>
    public const string LiveTag = "live";

    /// <summary>
    /// Adds two checks of all stores. <c>faster-ready</c> is unhealthy while a store is not open or takes no more
    /// updates, and degraded by a fault within the last minute, a commit that is overdue, a disk budget that is
    /// exceeded, or a stalled session. <c>faster-live</c> is unhealthy only where a start of the process helps: when a
    /// store takes no more updates.
    /// </summary>
    /// <param name="builder">The application's health checks.</param>
    public static IHealthChecksBuilder AddFaster(this IHealthChecksBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return Add(Add(builder, ReadyTag, onlyLive: false), LiveTag, onlyLive: true);
    }

    private static IHealthChecksBuilder Add(IHealthChecksBuilder builder, string tag, bool onlyLive)
    {
        HealthCheck? check = null; // one for all probes: it remembers since when work waits
        return builder.Add(new HealthCheckRegistration(
            "faster-" + tag, provider => check ??= new HealthCheck(provider, onlyLive), failureStatus: null, [tag]));
    }
}
