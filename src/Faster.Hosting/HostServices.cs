using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Faster.Hosting;

/// <summary>What the hosts of an application's stores share.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class HostServices(IServiceProvider provider)
{
    public IOptionsMonitor<FasterSettings> Settings { get; } =
        provider.GetRequiredService<IOptionsMonitor<FasterSettings>>();

    public ILoggerFactory Logs { get; } = provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance;
    public TimeProvider Time { get; } = provider.GetService<TimeProvider>() ?? TimeProvider.System;
    public IConfiguration? Configuration { get; } = provider.GetService<IConfiguration>();
    public IHostApplicationLifetime? Lifetime { get; } = provider.GetService<IHostApplicationLifetime>();
    public StoreMeters Meters { get; } = new(provider.GetService<IMeterFactory>());
}
