using Faster.Contracts;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Faster.Hosting.Tests;

/// <summary>Makes hosts of one application, which start one after another, over a folder of its own.</summary>
internal sealed class TestApplication : IDisposable
{
    /// <summary>The folder for stores.</summary>
    public string Folder { get; } = Directory.CreateTempSubdirectory("faster-hosting-").FullName;

    /// <summary>What all of them have logged.</summary>
    public TestLog Log { get; } = new();

    /// <summary>The configuration of the next hosts.</summary>
    public Dictionary<string, string?> Configuration { get; } = [];

    /// <summary>Makes a host with a store of a type, in the folder.</summary>
    public IHost Make<TStore>(string name, Action<IServiceCollection>? configure = null)
        where TStore : class, IHostedStore<TStore>
    {
        Configuration[$"Faster:{name}:Path"] = Path.Combine(Folder, name);
        return Make(services =>
        {
            services.AddFaster<TStore>();
            configure?.Invoke(services);
        });
    }

    /// <summary>Makes a host.</summary>
    public IHost Make(Action<IServiceCollection> configure)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection(Configuration);
        builder.Logging.AddProvider(Log);
        builder.Services.AddMetrics();
        configure(builder.Services);
        return builder.Build();
    }

    public void Dispose()
    {
        Directory.Delete(Folder, recursive: true);
        Log.Dispose();
    }
}
