using Microsoft.Extensions.DependencyInjection;

namespace Faster.Hosting.Tests;

/// <summary>A container with a store of words of one engine, whose scopes have sessions.</summary>
internal sealed class Scopes : IAsyncDisposable
{
    private readonly ServiceProvider _provider;
    private readonly Type _session;

    private Scopes(IServiceCollection services, Type store, Type session)
    {
        _provider = services.BuildServiceProvider(validateScopes: true);
        _session = session;
        Store = (Words.IStore)_provider.GetRequiredService(store);
    }

    /// <summary>The engines.</summary>
    public static TheoryData<string> Engines => ["FASTER", "F2", "HotRing"];

    /// <summary>The engines that commit.</summary>
    public static TheoryData<string> Committing => ["FASTER", "F2"];

    /// <summary>The store.</summary>
    public Words.IStore Store { get; }

    /// <summary>Makes the container.</summary>
    /// <param name="engine">One of <see cref="Engines"/>.</param>
    /// <param name="configure">The store's settings; by default it is in memory.</param>
    public static Scopes Of(string engine, Action<FasterSettings>? configure = null)
    {
        IServiceCollection services = new ServiceCollection();
        configure ??= static settings => settings.Path = "";
        return engine switch
        {
            "FASTER" => new(services.AddFaster<Words.Store>(configure), typeof(Words.Store), typeof(Words.Session)),
            "F2" => new(
                services.AddFaster<Words.TieredStore>(configure), typeof(Words.TieredStore),
                typeof(Words.TieredSession)),
            _ => new(
                services.AddFaster<Words.HotRingStore>(configure), typeof(Words.HotRingStore),
                typeof(Words.HotRingSession)),
        };
    }

    /// <summary>Begins a scope.</summary>
    /// <param name="session">Its session.</param>
    public AsyncServiceScope Begin(out Words.ISession session)
    {
        AsyncServiceScope scope = _provider.CreateAsyncScope();
        session = (Words.ISession)scope.ServiceProvider.GetRequiredService(_session);
        return scope;
    }

    /// <summary>Runs a scope.</summary>
    /// <returns>Its session, which has ended.</returns>
    public async Task<Words.ISession> RunAsync(Func<Words.ISession, Task> use)
    {
        await using AsyncServiceScope scope = Begin(out Words.ISession session);
        await use(session);
        return session;
    }

    public ValueTask DisposeAsync() => _provider.DisposeAsync();
}
