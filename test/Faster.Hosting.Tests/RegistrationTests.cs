using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Faster.Hosting.Tests;

/// <summary>What an application gets by adding stores, and how it is refused.</summary>
public sealed class RegistrationTests : IDisposable
{
    private readonly TestApplication _application = new();

    public void Dispose() => _application.Dispose();

    [Fact]
    public async Task A_scope_has_one_session_of_its_own_and_closes_it()
    {
        using IHost host = _application.Make<Words.Store>("Words");
        await host.StartAsync();
        Words.Store store = host.Services.GetRequiredService<Words.Store>();
        Words.Session first;
        using (IServiceScope scope = host.Services.CreateScope())
        using (IServiceScope other = host.Services.CreateScope())
        {
            first = scope.ServiceProvider.GetRequiredService<Words.Session>();
            Assert.Same(first, scope.ServiceProvider.GetRequiredService<Words.Session>());
            Assert.NotSame(first, other.ServiceProvider.GetRequiredService<Words.Session>());
            Assert.Equal(Status.Created, await first.RmwAsync("a", 1));
            Assert.Equal(2, store.Statistics.Sessions);
        }

        Assert.Equal(0, store.Statistics.Sessions);
        Assert.Throws<SessionMisuseException>(() => first.Read("a", out _));
        Assert.Same(store, host.Services.GetRequiredKeyedService<Words.Store>("Words"));
        await host.StopAsync();
    }

    [Fact]
    public async Task Each_engine_of_a_class_can_be_added()
    {
        foreach (string name in (string[])["Words", "WordsTiered"])
            _application.Configuration[$"Faster:{name}:Path"] = Path.Combine(_application.Folder, name);
        using IHost host = _application.Make(services => services
            .AddFaster<Words.Store>().AddFaster<Words.TieredStore>().AddFaster<Words.HotRingStore>());
        await host.StartAsync();
        using IServiceScope scope = host.Services.CreateScope();
        IServiceProvider own = scope.ServiceProvider;
        Assert.Equal(Status.Created, await own.GetRequiredService<Words.Session>().RmwAsync("a", 1));
        Assert.Equal(Status.Created, await own.GetRequiredService<Words.TieredSession>().RmwAsync("a", 1));
        Assert.Equal(Status.Created, await own.GetRequiredService<Words.HotRingSession>().RmwAsync("a", 1));
        await host.StopAsync();
    }

    [Fact]
    public async Task Of_two_stores_of_a_type_only_the_keyed_services_can_be_used()
    {
        foreach (string name in (string[])["old", "new"])
            _application.Configuration[$"Faster:{name}:Path"] = Path.Combine(_application.Folder, name);
        using IHost host = _application.Make(services => services
            .AddFaster<Words.Store>(name: "old").AddFaster<Words.Store>(name: "new"));
        await host.StartAsync();
        await using (AsyncServiceScope scope = host.Services.CreateAsyncScope())
        {
            Words.Session old = scope.ServiceProvider.GetRequiredKeyedService<Words.Session>("old");
            Words.Session young = scope.ServiceProvider.GetRequiredKeyedService<Words.Session>("new");
            await old.RmwAsync("a", 1);
            Assert.False((await young.ReadAsync("a")).Found);
            foreach (Type type in (Type[])[typeof(Words.Store), typeof(Words.Session)])
            {
                var refused = Assert.Throws<InvalidOperationException>(
                    () => scope.ServiceProvider.GetRequiredService(type));
                Assert.Contains("FromKeyedServices(\"old\")", refused.Message, StringComparison.Ordinal);
            }
        }

        await host.StopAsync();
    }

    [Fact]
    public void A_name_is_given_once()
    {
        var services = new ServiceCollection();
        services.AddFaster<Words.Store>();
        var refused = Assert.Throws<ArgumentException>(() => services.AddFaster<Words.Store>());
        Assert.Contains("'Words'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task All_errors_of_the_settings_are_reported_at_once()
    {
        foreach ((string setting, string text) in ((string, string)[])
            [("MemoryBudget", "-3"), ("CommitEvery", "-00:00:01"), ("Durabilty", "Commits"), ("CloseTimeout", "soon")])
            _application.Configuration["Faster:Words:" + setting] = text;
        _application.Configuration["Faster:WordsHotRing:DiskBudget"] = "1 GiB";
        using IHost host = _application.Make(services => services.AddFaster<Words.Store>(static settings =>
            settings.ReadCacheFraction = 2).AddFaster<Words.HotRingStore>());
        var thrown = await Assert.ThrowsAsync<AggregateException>(() => host.StartAsync());
        string[] errors =
            [.. thrown.InnerExceptions.Cast<OptionsValidationException>().SelectMany(static e => e.Failures)];
        foreach (string setting in (string[])
            ["MemoryBudget", "CommitEvery", "Durabilty", "CloseTimeout", "ReadCacheFraction", "Path", "DiskBudget"])
            Assert.Single(errors, error => error.Contains(':' + setting, StringComparison.Ordinal));
        Assert.Equal(7, errors.Length);
    }

    [Fact]
    public async Task An_empty_path_is_a_store_in_memory_whatever_else_is_set()
    {
        _application.Configuration["Faster:Words:CommitEvery"] = "00:00:01";
        _application.Configuration["Faster:Words:DiskBudget"] = "1 GiB";
        _application.Configuration["Faster:Words:Durability"] = "EachOperation";
        using IHost host = _application.Make(static services =>
            services.AddFaster<Words.Store>(static settings => settings.Path = ""));
        await host.StartAsync();
        Words.Store store = host.Services.GetRequiredService<Words.Store>();
        await using (Words.Session session = store.StartSession()) await session.RmwAsync("a", 1);
        await host.StopAsync();
        Assert.Empty(Directory.GetFileSystemEntries(_application.Folder));
    }

    [Fact]
    public async Task Settings_reach_the_options_and_code_comes_last()
    {
        _application.Configuration["Faster:Words:MemoryBudget"] = "32 MiB";
        _application.Configuration["Faster:Words:CommitEvery"] = "00:00:07";
        _application.Configuration["Faster:Words:TimeToLive"] = "01:00:00";
        _application.Configuration["Faster:Words:Path"] = Path.Combine(_application.Folder, "w");
        using IHost host = _application.Make(static services => services.AddFaster<Words.Store>(static settings =>
        {
            settings.TimeToLive = TimeSpan.FromHours(2);
            settings.Options = static options => (StoreOptions)options with { ExpectedKeys = 1000 };
        }));
        await host.StartAsync();
        var used = (StoreOptions)host.Services.GetRequiredService<Words.Store>().Options;
        Assert.Equal(
            (ByteSize.MiB(32), TimeSpan.FromSeconds(7), TimeSpan.FromHours(2), 1000L),
            (used.MemoryBudget, used.CommitEvery, used.TimeToLive, used.ExpectedKeys));
        await host.StopAsync();
    }
}
